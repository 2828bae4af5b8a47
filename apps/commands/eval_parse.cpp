#include <iostream>
#include <memory>

#include "base/error.h"
#include "commands/commands.h"
#include "options.h"
#include "parsing/evaluate_parses.h"

namespace transformer {
namespace {

struct EvalParseOptions {
  ParseEvaluationTask task;
  bool right_branching = false, sentences = false, json = false;
};

void run_eval_parse(const EvalParseOptions& options) {
  if (options.task.predicted.empty() == !options.right_branching) {
    throw UsageError("eval-parse: give one of --predicted FILE and --right-branching");
  }
  const ParseReport report = evaluate_parses(options.task);
  if (options.json) {
    std::cout << format_parse_json(report, options.sentences) << "\n";
  } else {
    std::cout << (options.sentences ? format_sentence_table(report) : "") << format_summary(report);
  }
}

}  // namespace

void add_eval_parse(CLI::App& app) {
  auto options = std::make_shared<EvalParseOptions>();
  ParseEvaluationTask& task = options->task;
  CLI::App* command =
      app.add_subcommand("eval-parse", "Score trees by labeled bracketing, with the same results as EVALB");
  command->add_option("--gold", task.gold, "Gold trees, one sentence a line, plain or gzip-compressed; -: stdin")
      ->required()
      ->type_name("FILE");
  command->add_option("--predicted", task.predicted, "Trees to score, line by line; -: stdin")->type_name("FILE");
  command->add_flag("--right-branching", options->right_branching,
                    "Instead of --predicted: score right-branching trees over the gold words, as a baseline");
  command->add_option("--parameters", task.parameters, "EVALB parameter file; default: the values of COLLINS.prm")
      ->type_name("FILE");
  command->add_flag("--sentences", options->sentences, "Also print the results of each sentence");
  add_json_flag(*command, options->json);
  command->footer("Example:\n  transformer eval-parse --gold dev.trees --predicted dev.predicted");
  command->callback([options] { run_eval_parse(*options); });
}

}  // namespace transformer
