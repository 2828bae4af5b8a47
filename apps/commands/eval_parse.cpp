#include <iostream>
#include <memory>

#include "base/aligned_lines.h"
#include "base/error.h"
#include "base/log.h"
#include "commands/commands.h"
#include "evaluation/evalb_report.h"
#include "trees/clean_tree.h"
#include "trees/right_branching.h"
#include "trees/tree_reader.h"

namespace transformer {
namespace {

struct EvalParseOptions {
  std::string gold, predicted, parameters;
  bool right_branching = false, sentences = false, json = false;
};

/// What the gold trees of a line are compared with where there is no parser.
std::vector<Tree> baseline(const std::vector<Tree>& gold) {
  std::vector<Tree> trees;
  for (const Tree& tree : gold) trees.push_back(right_branching(clean_tree(tree)));
  return trees;
}

ParseReport score(const EvalParseOptions& options, const EvalbParameters& parameters) {
  const std::string& name = options.right_branching ? options.gold : options.predicted;
  std::vector<std::string> inputs = {options.gold};
  if (!options.right_branching) inputs.push_back(options.predicted);
  AlignedLines reader(inputs);
  ParseReport report(parameters.cutoff_length);
  for (std::vector<std::string> lines; reader.next(lines);) {
    const int64_t line = reader.line_number();
    const std::vector<Tree> gold = trees_of_line(lines[0], options.gold, line);
    const std::vector<Tree> predicted =
        options.right_branching ? baseline(gold) : trees_of_line(lines[1], options.predicted, line);
    const SentenceScore sentence = score_sentence(gold, predicted, parameters);
    report.add(sentence);
    if (sentence.status != SentenceScore::Status::error) continue;
    log_warning(name, ":", line, ": ", sentence.complaint, "; not scored, counted as an error sentence");
    if (report.all.errors >= parameters.max_errors) {
      throw Error(name, ":", line, ": is error sentence number ", report.all.errors,
                  "; check that both sides have the same words, or raise MAX_ERROR in a file for --parameters");
    }
  }
  if (reader.line_number() == 0) throw Error(options.gold, ": is empty; give at least one tree");
  return report;
}

void run_eval_parse(const EvalParseOptions& options) {
  if (options.predicted.empty() == !options.right_branching) {
    throw UsageError("eval-parse: give one of --predicted FILE and --right-branching");
  }
  if (options.gold == "-" && options.predicted == "-") {
    throw UsageError("eval-parse: stdin cannot be both --gold and --predicted; give one of them as a file");
  }
  const EvalbParameters parameters =
      options.parameters.empty() ? collins_parameters() : read_evalb_parameters(options.parameters);
  const ParseReport report = score(options, parameters);
  if (options.json) {
    std::cout << format_parse_json(report, options.sentences) << "\n";
  } else {
    std::cout << (options.sentences ? format_sentence_table(report) : "") << format_summary(report);
  }
}

}  // namespace

void add_eval_parse(CLI::App& app) {
  auto options = std::make_shared<EvalParseOptions>();
  CLI::App* command =
      app.add_subcommand("eval-parse", "Score trees by labelled bracketing, the same figures as EVALB's");
  command->add_option("--gold", options->gold, "The right trees, one sentence a line, plain or .gz; -: stdin")
      ->required()
      ->type_name("FILE");
  command->add_option("--predicted", options->predicted, "The trees to score, line by line")->type_name("FILE");
  command->add_flag("--right-branching", options->right_branching,
                    "Instead: score trees that only branch to the right, made from the gold words, as a baseline");
  command->add_option("--parameters", options->parameters, "An EVALB parameter file; default: what COLLINS.prm says")
      ->type_name("FILE");
  command->add_flag("--sentences", options->sentences, "Each sentence's figures as well");
  command->add_flag("--json", options->json, "One JSON object");
  command->footer("Example:\n  transformer eval-parse --gold dev.trees --predicted dev.parsed");
  command->callback([options] { run_eval_parse(*options); });
}

}  // namespace transformer
