#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/format.h"
#include "base/log.h"
#include "commands/commands.h"
#include "evaluation/bleu.h"

namespace transformer {
namespace {

struct EvalBleuOptions {
  std::string hypothesis = "-";
  std::vector<std::string> references;
  bool json = false;
  bool score_only = false;
  int width = 1;
};

std::string format_result(const BleuScore& bleu, const EvalBleuOptions& options) {
  if (options.score_only) return fixed(bleu.score, options.width);
  const std::string signature = bleu_signature(options.references.size());
  return options.json ? format_bleu_json(bleu, signature, options.width)
                      : format_bleu_text(bleu, signature, options.width);
}

void run_eval_bleu(const EvalBleuOptions& options) {
  const auto& paths = options.references;
  if (std::count(paths.begin(), paths.end(), "-") + (options.hypothesis == "-") > 1) {
    throw UsageError("stdin ('-') can be read only once; give the other texts as files");
  }
  const std::vector<std::string> hypotheses = read_lines(options.hypothesis);
  std::vector<ReferenceStream> references;
  for (const std::string& path : paths) references.push_back({path, read_lines(path)});

  const BleuScore bleu = corpus_bleu(hypotheses, references);
  if (looks_tokenized(hypotheses)) {
    log_warning(options.hypothesis,
                ": 100 lines or more end in ' .', so the text seems to be tokenized; scored as it "
                "is, but only detokenized text gives a BLEU that can be compared with others");
  }
  std::cout << format_result(bleu, options) << "\n";
}

}  // namespace

void add_eval_bleu(CLI::App& app) {
  auto options = std::make_shared<EvalBleuOptions>();
  CLI::App* sub =
      app.add_subcommand("eval-bleu", "Score translations with corpus BLEU, the same figure as sacreBLEU gives");
  sub->add_option("-i,--hypothesis", options->hypothesis,
                  "The translations, detokenized, one sentence a line; '-' is stdin")
      ->type_name("FILE")
      ->capture_default_str();
  sub->add_option("-r,--reference", options->references,
                  "What they should be, line by line; several files are several references")
      ->type_name("FILE")
      ->required();
  CLI::Option* json = sub->add_flag("--json", options->json, "Print JSON instead of one line");
  sub->add_flag("--score-only", options->score_only, "Print the score and nothing else")->excludes(json);
  sub->add_option("-w,--width", options->width, "Digits of the score after the point")
      ->type_name("N")
      ->check(CLI::Range(0, 17))
      ->capture_default_str();
  sub->footer("Example:\n  transformer eval-bleu --hypothesis out.de --reference data/sample/test.de");
  sub->callback([options] { run_eval_bleu(*options); });
}

}  // namespace transformer
