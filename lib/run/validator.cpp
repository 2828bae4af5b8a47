#include "run/validator.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/clock.h"
#include "base/format.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "data/prepared_files.h"
#include "decoding/non_finite_scores.h"
#include "decoding/tree_constraint.h"
#include "evaluation/bleu.h"
#include "evaluation/chrf.h"
#include "evaluation/text_kind.h"
#include "inference/translator.h"
#include "platform/out_of_memory.h"
#include "reporting/metric_values.h"
#include "text/clean_line.h"
#include "training/validation.h"

namespace transformer {
namespace {

/// Logs some of the translations and returns them.
ValidationSamples log_samples(const std::vector<std::string>& source, const std::vector<std::string>& target,
                              const std::vector<std::string>& translations, int64_t step) {
  static constexpr size_t kSamples = 3;
  ValidationSamples samples{step, {}};
  const size_t count = std::min(kSamples, translations.size());
  for (size_t i = 0; i < count; ++i) {
    const size_t line = i * translations.size() / count;
    samples.translations.push_back({clean_line(source[line]).text, clean_line(target[line]).text, translations[line]});
    log_info("{}", text_of(samples.translations.back()));
  }
  return samples;
}

}  // namespace

Validator::Set::Set(const ValidationSet& set, const std::string& prepared)
    : name(set.name.value_or("")),
      target_file(set.target),
      corpus(prepared),
      source(read_lines(set.source)),
      target(read_lines(set.target)) {}

Validator::Validator(const Config& config, const Tokenizers& tokenizers) : config_(config), tokenizers_(tokenizers) {
  warn_of_wide_beam(config.decoding);
  if (config.decoding.trees) BracketPieces(tokenizers.target());  // throws Error if there are none
  const PreparedFiles files(config.data.prepared);
  for (const ValidationSet& set : config.data.valid) {
    sets_.emplace_back(set, files.valid(sets_.size()));
    warn_of_few_spaces(set.target, sets_.back().target, config.evaluation.tokenize, "set evaluation.tokenize to");
  }
}

ValidationResult Validator::validate(Transformer& model, int64_t device_tokens, int64_t step) const {
  MetricsLine metrics{step, {}};
  Translations of_first_set;
  for (const Set& set : sets_) {
    Translations translations = measure(set, model, device_tokens, metrics);
    if (&set == &sets_.front()) of_first_set = std::move(translations);
  }
  const Set& first = sets_.front();
  return {metrics, log_samples(first.source, first.target, of_first_set.value_or(std::vector<std::string>()), step)};
}

Validator::Translations Validator::measure(const Set& set, Transformer& model, int64_t device_tokens,
                                           MetricsLine& metrics) const {
  const auto start = Clock::now();
  const TokenLoss validation = validation_loss(model, set.corpus, config_.training, device_tokens);
  Translations translations = translate(set, model, metrics.step);
  const NamedText reference{set.target_file, set.target};
  const double none = std::numeric_limits<double>::quiet_NaN();
  const double bleu = translations
                          ? corpus_bleu(*translations, {reference}, {.tokenization = config_.evaluation.tokenize}).score
                          : none;
  const auto add = [&](std::string_view metric, double value) {
    metrics.values.emplace_back(validation_key(metric, &set == &sets_.front() ? "" : set.name), value);
  };
  add("loss", validation.loss_per_token());
  add("perplexity", validation.perplexity());
  add("bleu", bleu);
  std::string chrf_text;
  if (config_.training.best_by == ValidationMetric::chrf) {
    const double chrf = translations ? corpus_chrf(*translations, {reference}) : none;
    add("chrf", chrf);
    chrf_text = fmt::format("  chrF {:.2f}", chrf);
  }
  log_info("step {}  validation {}loss {:.4f}  perplexity {}  BLEU {:.2f}{}  (took {})", with_thousands(metrics.step),
           set.name.empty() ? "" : "of " + set.name + "  ", validation.loss_per_token(),
           perplexity_text(validation.perplexity()), bleu, chrf_text, human_duration(seconds_since(start)));
  return translations;
}

Validator::Translations Validator::translate(const Set& set, Transformer& model, int64_t step) const {
  try {
    return halve_until_it_fits("translation of the validation text", "line", TranslatorOptions().batch_size,
                               [&](int64_t lines) {
                                 Translator translator({model}, tokenizers_, config_.decoding, {.batch_size = lines});
                                 return best_texts(translator.translate(set.source));
                               });
  } catch (const NonFiniteScores&) {
    log_warning("step {}: the model's scores are NaN or infinite; the validation text is not translated",
                with_thousands(step));
    return std::nullopt;
  }
}

}  // namespace transformer
