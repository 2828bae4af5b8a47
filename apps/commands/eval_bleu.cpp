#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/format.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "commands/commands.h"
#include "evaluation/bleu.h"
#include "evaluation/bootstrap.h"
#include "evaluation/characters.h"
#include "evaluation/chrf.h"
#include "evaluation/score_format.h"

namespace transformer {
namespace {

struct EvalBleuOptions {
  std::vector<std::string> hypotheses = {"-"}, references;
  std::vector<std::string> metrics = {"bleu"};
  std::string tokenize = "13a", smooth_method = "exp";
  BleuOptions bleu;
  ChrfOptions chrf;
  bool paper = false, sentence = false, confidence = false, paired = false;
  int64_t confidence_samples = 1000, paired_samples = 1000;
  uint64_t seed = 12345;
  bool json = false, score_only = false;
  int width = 1;
  /// What has an effect on one metric alone.
  std::vector<CLI::Option*> of_bleu, of_chrf;

  bool has(const std::string& metric) const {
    return std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
  }
};

template <class Value>
std::map<std::string, Value> by_name(std::initializer_list<Value> values) {
  std::map<std::string, Value> named;
  for (const Value value : values) named.emplace(name_of(value), value);
  return named;
}

const auto kTokenizations = by_name(
    {Tokenization::mteval_13a, Tokenization::intl, Tokenization::zh, Tokenization::character, Tokenization::none});
const auto kSmoothings = by_name({Smoothing::exp, Smoothing::floor, Smoothing::add_k, Smoothing::none});

using Metrics = std::vector<std::unique_ptr<Metric>>;

void check_for_effect(const std::vector<CLI::Option*>& options, const std::string& metric) {
  for (const CLI::Option* option : options) {
    if (option->count() > 0) {
      throw UsageError(option->get_name(), " has no effect without ", metric,
                       "; leave it out or name that in --metrics");
    }
  }
}

void check(const EvalBleuOptions& options) {
  std::vector<std::string> paths = options.hypotheses;
  if (std::set<std::string>(paths.begin(), paths.end()).size() < paths.size()) {
    throw UsageError("--hypothesis names a file twice; name each system once");
  }
  paths.insert(paths.end(), options.references.begin(), options.references.end());
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    throw UsageError("stdin ('-') can be read only once; give the other texts as files");
  }
  if (!options.has("bleu")) check_for_effect(options.of_bleu, "bleu");
  if (!options.has("chrf") && !options.has("chrf++")) check_for_effect(options.of_chrf, "chrf or chrf++");
  const bool takes_value = options.smooth_method == "floor" || options.smooth_method == "add-k";
  if (options.bleu.smooth_value && !takes_value) {
    throw UsageError("--smooth-value is of --smooth-method floor and add-k; leave it out or choose one of them");
  }
  const bool several = options.hypotheses.size() > 1;
  if (options.paired && !several) {
    throw UsageError("--paired-bs compares systems; give --hypothesis two files or more, the baseline first");
  }
  if (options.confidence && several) {
    throw UsageError("--confidence is of one system; with several use --paired-bs, which gives it too");
  }
  if (options.score_only && several) throw UsageError("--score-only is of one system; score each by itself");
  if (options.sentence && (several || options.paper || options.metrics.size() > 1)) {
    throw UsageError("--sentence scores one system by one metric; score each by itself");
  }
}

Metrics make_metrics(const EvalBleuOptions& options) {
  Metrics metrics;
  if (options.has("bleu")) {
    BleuOptions bleu = options.bleu;
    bleu.tokenization = kTokenizations.at(options.tokenize);
    bleu.smoothing = kSmoothings.at(options.smooth_method);
    bleu.effective_order = bleu.effective_order || options.sentence;
    metrics.push_back(std::make_unique<Bleu>(bleu));
  }
  if (options.paper) metrics.push_back(std::make_unique<Bleu>(paper_bleu_options()));
  ChrfOptions chrf = options.chrf;
  if (options.has("chrf")) metrics.push_back(std::make_unique<Chrf>(chrf));
  static constexpr int kPlusPlus = 2;
  chrf.word_order = kPlusPlus;
  if (options.has("chrf++")) metrics.push_back(std::make_unique<Chrf>(chrf));
  return metrics;
}

std::vector<NamedText> read_texts(const std::vector<std::string>& paths) {
  std::vector<NamedText> texts;
  for (const std::string& path : paths) texts.push_back({path == "-" ? "stdin" : path, read_lines(path)});
  return texts;
}

void warn(const EvalBleuOptions& options, const std::vector<NamedText>& systems,
          const std::vector<NamedText>& references) {
  for (const NamedText& reference : references) {
    const auto is_empty = [](const std::string& line) { return strip_whitespace(line).empty(); };
    const auto first = std::find_if(reference.lines.begin(), reference.lines.end(), is_empty);
    if (first == reference.lines.end()) continue;
    log_warning(reference.name, ":", first - reference.lines.begin() + 1, ": an empty reference, and ",
                std::count_if(first + 1, reference.lines.end(), is_empty),
                " more; scored as they are, but nothing that is said there counts as right");
  }
  for (const NamedText& system : systems) {
    if (options.has("bleu") && options.tokenize != "none" && looks_tokenized(system.lines)) {
      log_warning(system.name,
                  ": 100 lines or more end in ' .', so the text seems to be tokenized; scored as it "
                  "is, but only detokenized text gives a BLEU that can be compared with others");
    }
  }
  static constexpr size_t kFilteredNewstest2014 = 2737;
  if (options.paper && systems[0].lines.size() == kFilteredNewstest2014) {
    log_warning(systems[0].name,
                ": has 2,737 lines, as the filtered newstest2014; scored as it is, but the paper's figures are on the "
                "full newstest2014 of 3,003 lines");
  }
}

/// One score for each metric, or with --sentence one for each line.
std::vector<Score> scores_of(const NamedText& system, const std::vector<NamedText>& references,
                             const EvalBleuOptions& options) {
  std::optional<Resampling> resampling;
  if (options.confidence) resampling = {options.confidence_samples, options.seed};
  std::vector<Score> scores;
  for (const auto& metric : make_metrics(options)) {
    const auto lines = corpus_statistics(*metric, system, references);
    if (!options.sentence) {
      scores.push_back(score_of(*metric, lines, references.size(), resampling));
      continue;
    }
    for (const Statistics& line : lines) scores.push_back(score_of(*metric, {line}, references.size()));
  }
  return scores;
}

SystemsTable table_of(const std::vector<NamedText>& systems, const std::vector<NamedText>& references,
                      const EvalBleuOptions& options) {
  SystemsTable table;
  if (options.paired) table.paired = {options.paired_samples, options.seed};
  for (const NamedText& system : systems) table.systems.push_back(system.name);
  for (const auto& metric : make_metrics(options)) {
    table.comparisons.push_back(compare(*metric, systems, references, table.paired));
  }
  return table;
}

void print(const std::vector<Score>& scores, const EvalBleuOptions& options) {
  if (options.json) {
    std::cout << format_json(scores, options.width) << "\n";
  } else if (options.score_only) {
    for (const Score& score : scores) std::cout << format_value(score, options.width) << "\n";
  } else if (options.sentence) {
    for (const Score& score : scores) std::cout << format_text({score}, options.width) << "\n";
  } else {
    std::cout << format_text(scores, options.width) << "\n";
  }
}

void run_eval_bleu(const EvalBleuOptions& options) {
  check(options);
  const std::vector<NamedText> systems = read_texts(options.hypotheses);
  const std::vector<NamedText> references = read_texts(options.references);
  if (systems.size() == 1) {
    const auto scores = scores_of(systems[0], references, options);
    warn(options, systems, references);
    print(scores, options);
  } else {
    const SystemsTable table = table_of(systems, references, options);
    warn(options, systems, references);
    std::cout << (options.json ? format_json(table, options.width) : format_text(table, options.width)) << "\n";
  }
}

template <class Value>
std::vector<std::string> names_of(const std::map<std::string, Value>& values) {
  std::vector<std::string> names;
  std::transform(values.begin(), values.end(), std::back_inserter(names), [](const auto& item) { return item.first; });
  return names;
}

void add_texts(CLI::App& command, EvalBleuOptions& options) {
  command
      .add_option("-i,--hypothesis", options.hypotheses,
                  "The translations, detokenized, one sentence a line; '-' is stdin. Several files are several systems")
      ->type_name("FILE")
      ->capture_default_str();
  command
      .add_option("-r,--reference", options.references,
                  "What they should be, line by line; several files are several references")
      ->type_name("FILE")
      ->required();
  command.add_option("-m,--metrics", options.metrics, "bleu, chrf, chrf++")
      ->type_name("NAME")
      ->check(CLI::IsMember({"bleu", "chrf", "chrf++"}))
      ->capture_default_str();
  command.add_flag("--paper", options.paper, "The paper's BLEU beside it: Moses' words, German compounds split");
}

void add_bleu_options(CLI::App& command, EvalBleuOptions& options) {
  options.of_bleu = {
      command.add_option("--tokenize,--tok", options.tokenize, "How BLEU cuts lines into words")
          ->check(CLI::IsMember(names_of(kTokenizations)))
          ->capture_default_str(),
      command.add_flag("--lowercase", options.bleu.lowercase, "BLEU without regard to case"),
      command.add_option("--smooth-method", options.smooth_method, "What an order without a match counts as in BLEU")
          ->check(CLI::IsMember(names_of(kSmoothings)))
          ->capture_default_str(),
      command.add_option("--smooth-value", options.bleu.smooth_value, "Of floor (default 0.1) and add-k (default 1)")
          ->check(CLI::NonNegativeNumber),
      command.add_flag("--effective-order", options.bleu.effective_order,
                       "BLEU's mean over the orders that the hypothesis has n-grams of; always with --sentence")};
}

void add_chrf_options(CLI::App& command, EvalBleuOptions& options) {
  static constexpr int kMaxOrder = 100;
  options.of_chrf = {
      command.add_option("--chrf-char-order", options.chrf.char_order, "chrF's longest n-grams of characters")
          ->check(CLI::Range(1, kMaxOrder))
          ->capture_default_str(),
      command.add_option("--chrf-beta", options.chrf.beta, "How much more recall counts than precision in chrF")
          ->check(CLI::Range(1, kMaxOrder))
          ->capture_default_str(),
      command.add_flag("--chrf-lowercase", options.chrf.lowercase, "chrF without regard to case"),
      command.add_flag("--chrf-whitespace", options.chrf.whitespace, "Whitespace belongs to chrF's characters"),
      command.add_flag("--chrf-eps-smoothing", options.chrf.eps_smoothing,
                       "chrF as the mean of each order's F-score, as in chrF++.py")};
}

void add_resampling(CLI::App& command, EvalBleuOptions& options) {
  static constexpr int64_t kMaxSamples = 1'000'000;
  CLI::Option* confidence =
      command.add_flag("--confidence", options.confidence, "A 95 % confidence interval by bootstrap resampling");
  command.add_option("--confidence-n", options.confidence_samples, "Its resamplings")
      ->check(CLI::Range(int64_t{2}, kMaxSamples))
      ->needs(confidence)
      ->capture_default_str();
  CLI::Option* paired = command.add_flag("--paired-bs", options.paired,
                                         "Paired bootstrap test of each system against the first, with p-values");
  command.add_option("--paired-bs-n", options.paired_samples, "Its resamplings")
      ->check(CLI::Range(int64_t{1}, kMaxSamples))
      ->needs(paired)
      ->capture_default_str();
  command.add_option("--seed", options.seed, "Of the resamplings")->envname("SACREBLEU_SEED")->capture_default_str();
  command.add_flag("--sentence", options.sentence, "One score for each line, by the orders that it has n-grams of")
      ->excludes(confidence)
      ->excludes(paired);
}

}  // namespace

void add_eval_bleu(CLI::App& app) {
  auto options = std::make_shared<EvalBleuOptions>();
  CLI::App* sub =
      app.add_subcommand("eval-bleu", "Score translations with BLEU or chrF, the same figures as sacreBLEU gives");
  add_texts(*sub, *options);
  add_bleu_options(*sub, *options);
  add_chrf_options(*sub, *options);
  add_resampling(*sub, *options);
  CLI::Option* json = sub->add_flag("--json", options->json, "Print JSON instead of text");
  sub->add_flag("--score-only", options->score_only, "Print the score and nothing else")->excludes(json);
  sub->add_option("-w,--width", options->width, "Digits of the score after the point")
      ->type_name("N")
      ->check(CLI::Range(0, 17))
      ->capture_default_str();
  sub->footer("Example:\n  transformer eval-bleu --hypothesis out.de --reference data/sample/test.de");
  sub->callback([options] { run_eval_bleu(*options); });
}

}  // namespace transformer
