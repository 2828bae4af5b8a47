#include <fmt/core.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/parse_number.h"
#include "commands/commands.h"
#include "evaluation/evaluate_translation.h"
#include "options.h"

namespace transformer {
namespace {

struct EvalBleuOptions {
  TranslationEvaluationTask task;
  /// The options that affect one metric only.
  std::vector<CLI::Option*> bleu_options, chrf_options, ter_options;
  CLI::Option* seed = nullptr;
};

/// The seed of the environment variable that sacreBLEU also reads. Throws UsageError if it is none.
std::optional<uint64_t> seed_of_environment() {
  static constexpr const char* kName = "SACREBLEU_SEED";
  const char* text = std::getenv(kName);
  if (text == nullptr || *text == '\0') return std::nullopt;
  if (const auto seed = parse_number<uint64_t>(text)) return seed;
  throw UsageError("the environment variable {} must be a whole number from 0, got '{}'; give --seed", kName, text);
}

void run_eval_bleu(const EvalBleuOptions& options) {
  TranslationEvaluationTask task = options.task;
  if ((task.confidence || task.paired) && options.seed->count() == 0) {
    task.seed = seed_of_environment().value_or(task.seed);
  }
  if (!task.confidence && !task.paired) {
    refuse_given({options.seed}, "eval-bleu", "without --confidence or --paired-bs");
  }
  if (!task.has_metric(EvaluationMetric::bleu)) {
    refuse_given(options.bleu_options, "eval-bleu", "without bleu among --metrics");
  }
  if (!task.has_metric(EvaluationMetric::chrf) && !task.has_metric(EvaluationMetric::chrf_plus_plus)) {
    refuse_given(options.chrf_options, "eval-bleu", "without chrf or chrf++ among --metrics");
  }
  if (!task.has_metric(EvaluationMetric::ter)) {
    refuse_given(options.ter_options, "eval-bleu", "without ter among --metrics");
  }
  std::cout << evaluate_translation(task) << "\n";
}

void add_texts(CLI::App& command, TranslationEvaluationTask& task) {
  command
      .add_option("-i,--hypothesis", task.hypotheses,
                  "Detokenized translations, one sentence a line; -: stdin. Several files are several systems")
      ->type_name("FILE")
      ->capture_default_str();
  command
      .add_option("-r,--reference", task.references,
                  "Reference translations, line by line; -: stdin. Several files are several references")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--source", task.source,
                  "The text that was translated, line by line: warn if more than 10 % of the translations equal it")
      ->type_name("FILE");
  // add_option would need an operator<< for the list, to show its default.
  CLI::Option* metrics = command.add_option_function<std::vector<EvaluationMetric>>(
      "-m,--metrics", [&task](const auto& values) { task.metrics = values; },
      "Metrics to compute, one or several; default: bleu");
  accept_names<EvaluationMetric>(metrics);
  command.add_flag("--paper", task.paper,
                   "Also compute BLEU as the paper does: with Moses' tokenizer and split German compounds");
}

/// The message for the tokenizers of sacreBLEU whose results depend on the dictionary of a certain Python package.
std::string refuse_mecab(const std::string& name) {
  if (name != "ja-mecab" && name != "ko-mecab") return "";
  return fmt::format(
      "{0} needs MeCab with the dictionary that sacreBLEU installs, which is not a part of this program; use "
      "`sacrebleu REFERENCE -i HYPOTHESIS -tok {0}` (pip install 'sacrebleu[{1}]')",
      name, name.substr(0, 2));
}

void add_bleu_options(CLI::App& command, EvalBleuOptions& options) {
  BleuOptions& bleu = options.task.bleu;
  CLI::Option* tokenize = command.add_option("--tokenize,--tok", bleu.tokenization, "BLEU: tokenizer; default: 13a");
  accept_names<Tokenization>(tokenize, Tokenization::paper);  // which is --paper
  tokenize->transform(CLI::Validator(refuse_mecab, ""));
  CLI::Option* model = command
                           .add_option("--tokenizer-model", bleu.tokenizer_model,
                                       "BLEU: the SentencePiece model for --tokenize flores101, flores200, spBLEU-1K "
                                       "and spm")
                           ->type_name("FILE");
  CLI::Option* smoothing = command.add_option("--smooth-method", bleu.smoothing,
                                              "BLEU: smoothing of n-gram orders without a match; default: exp");
  accept_names<Smoothing>(smoothing);
  options.bleu_options = {
      tokenize,
      model,
      command.add_flag("--lowercase", bleu.lowercase, "BLEU: ignore case"),
      smoothing,
      command
          .add_option("--smooth-value", bleu.smooth_value, "BLEU: value of floor (default: 0.1) and add-k (default: 1)")
          ->check(CLI::NonNegativeNumber),
      command.add_flag(
          "--effective-order", bleu.effective_order,
          "BLEU: ignore n-gram orders for which the hypothesis has no n-grams; always on with --sentence")};
}

void add_chrf_options(CLI::App& command, EvalBleuOptions& options) {
  static constexpr int kMaxOrder = 100;
  ChrfOptions& chrf = options.task.chrf;
  options.chrf_options = {
      command.add_option("--chrf-char-order", chrf.char_order, "chrF: maximum order of character n-grams")
          ->check(CLI::Range(1, kMaxOrder))
          ->capture_default_str(),
      command.add_option("--chrf-beta", chrf.beta, "chrF: weight of recall relative to precision")
          ->check(CLI::Range(1, kMaxOrder))
          ->capture_default_str(),
      command.add_flag("--chrf-lowercase", chrf.lowercase, "chrF: ignore case"),
      command.add_flag("--chrf-whitespace", chrf.whitespace, "chrF: count whitespace as characters"),
      command.add_flag("--chrf-eps-smoothing", chrf.eps_smoothing,
                       "chrF: average the F-scores of all orders, as chrF++.py does")};
}

void add_ter_options(CLI::App& command, EvalBleuOptions& options) {
  TercomOptions& ter = options.task.ter;
  options.ter_options = {
      command.add_flag("--ter-case-sensitive", ter.case_sensitive, "TER: distinguish capital letters"),
      command.add_flag("--ter-normalized", ter.normalized, "TER: separate punctuation from words"),
      command.add_flag("--ter-no-punct", ter.no_punctuation, "TER: remove punctuation"),
      command.add_flag("--ter-asian-support", ter.asian_support,
                       "TER: with the two options above, also treat Chinese and Japanese punctuation, and count each "
                       "Chinese character as a word")};
}

void add_resampling(CLI::App& command, EvalBleuOptions& options) {
  TranslationEvaluationTask& task = options.task;
  static constexpr int64_t kMaxSamples = 1'000'000;
  CLI::Option* confidence =
      command.add_flag("--confidence", task.confidence, "Compute a 95 % confidence interval by bootstrap resampling");
  command.add_option("--confidence-n", task.confidence_samples, "Number of resamplings for --confidence")
      ->check(CLI::Range(int64_t{2}, kMaxSamples))
      ->needs(confidence)
      ->capture_default_str();
  CLI::Option* paired = command.add_flag(
      "--paired-bs", task.paired, "Compare each system with the first one by a paired bootstrap test, with p-values");
  command.add_option("--paired-bs-n", task.paired_samples, "Number of resamplings for --paired-bs")
      ->check(CLI::Range(int64_t{1}, kMaxSamples))
      ->needs(paired)
      ->capture_default_str();
  options.seed = command.add_option("--seed", task.seed,
                                    "Seed of the resamplings; default: SACREBLEU_SEED of the environment, or 12345");
  command.add_flag("--sentence", task.sentence, "Print one score for each line, with BLEU's effective order")
      ->excludes(confidence)
      ->excludes(paired);
}

}  // namespace

void add_eval_bleu(CLI::App& app) {
  auto options = std::make_shared<EvalBleuOptions>();
  TranslationEvaluationTask& task = options->task;
  CLI::App* command =
      app.add_subcommand("eval-bleu", "Score translations with BLEU, chrF or TER, with the same results as sacreBLEU");
  add_texts(*command, task);
  add_bleu_options(*command, *options);
  add_chrf_options(*command, *options);
  add_ter_options(*command, *options);
  add_resampling(*command, *options);
  CLI::Option* json = add_json_flag(*command, task.json);
  command->add_flag("--score-only", task.score_only, "Print only the score")->excludes(json);
  command->add_option("-w,--width", task.width, "Digits of the score after the decimal point")
      ->type_name("N")
      ->check(CLI::Range(0, 17))
      ->capture_default_str();
  command->footer("Example:\n  transformer eval-bleu --hypothesis out.de --reference data/sample/test.de");
  command->callback([options] { run_eval_bleu(*options); });
}

}  // namespace transformer
