#include "run/validator.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "data/prepared_files.h"
#include "decoding/forbidden_tokens.h"
#include "decoding/tree_processor.h"
#include "evaluation/text_kind.h"
#include "inference/encode_line.h"
#include "inference/translator.h"
#include "model/decoder_start.h"
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

void warn_of_unknown_pieces_of(const std::string& file, const std::vector<std::string>& lines,
                               const Tokenizer& tokenizer, const LengthLimit& limit) {
  UnknownPieces unknown;
  for (size_t i = 0; i < lines.size(); ++i) {
    unknown.add(static_cast<int64_t>(i) + 1, encode_line(tokenizer, lines[i], limit).num_unknown);
  }
  warn_of_unknown_pieces(file, unknown);
}

}  // namespace

Validator::Set::Set(const ValidationSet& set, const std::string& prepared, const Config& config,
                    const SourceAndTarget<SpecialTokens>& special_tokens)
    : name(set.name.value_or("")), corpus(prepared, /*parts=*/{}, special_tokens), translator(set, config) {}

Validator::Validator(const Config& config, const Tokenizers& tokenizers) : config_(config), tokenizers_(tokenizers) {
  warn_of_wide_beam(config.decoding);
  if (config.decoding.trees) BracketPieces(tokenizers.target());  // throws Error if there are none
  forbidden_tokens(config.decoding, tokenizers.target());         // likewise
  const PreparedFiles files(config.data.prepared);
  for (const ValidationSet& set : config.data.valid) {
    sets_.emplace_back(set, files.valid(sets_.size()), config, special_tokens_of(config.model, tokenizers));
    const bool lacks_spaces = warn_of_few_spaces(set.target, sets_.back().translator.target(),
                                                 config.evaluation.tokenize, "set evaluation.tokenize to");
    if (!lacks_spaces && sets_.back().translator.bleu().effective_order) {
      log_warning(
          "{}: no line has four words, so BLEU would be 0 even if every translation were right; validation ignores "
          "n-grams longer than the translations (as eval-bleu --effective-order), but training.best_by chrf suits such "
          "text better",
          set.target);
    }
    const LengthLimit limit = length_limit(config.model);
    sets_.back().translator.warn_of_long_lines(tokenizers.source(), config.model);
    warn_of_unknown_pieces_of(set.source, sets_.back().translator.source(), tokenizers.source(), limit);
    warn_of_unknown_pieces_of(set.target, sets_.back().translator.target(), tokenizers.target(), limit);
  }
}

ValidationResult Validator::validate(Transformer& model, int64_t device_tokens, int64_t step) const {
  MetricsLine metrics{step, {}};
  Translations of_first_set;
  for (const Set& set : sets_) {
    Translations translations = measure(set, model, device_tokens, metrics);
    if (&set == &sets_.front()) of_first_set = std::move(translations);
  }
  const ValidationTranslator& first = sets_.front().translator;
  return {metrics,
          log_samples(first.source(), first.target(), of_first_set.value_or(std::vector<std::string>()), step)};
}

Validator::Translations Validator::measure(const Set& set, Transformer& model, int64_t device_tokens,
                                           MetricsLine& metrics) const {
  const auto start = Clock::now();
  const TokenLoss validation = validation_loss(model, set.corpus, config_.training, device_tokens);
  Translations translations =
      set.translator.translate(model, tokenizers_, fmt::format("step {}", with_thousands(metrics.step)));
  const double bleu = set.translator.score(translations, ValidationMetric::bleu);
  const auto add = [&](std::string_view metric, double value) {
    metrics.values.emplace_back(validation_key(metric, &set == &sets_.front() ? "" : set.name), value);
  };
  add("loss", validation.loss_per_token());
  add("perplexity", validation.perplexity());
  add("bleu", bleu);
  std::string other_text;
  const ValidationMetric best_by = config_.training.best_by;
  if (best_by == ValidationMetric::chrf || best_by == ValidationMetric::ter) {
    const double score = set.translator.score(translations, best_by);
    add(name_of(best_by), score);
    other_text = fmt::format("  {} {:.2f}", title_of(best_by), score);
  }
  log_info("step {}  validation {}loss {:.4f}  perplexity {}  BLEU {:.2f}{}  (took {})", with_thousands(metrics.step),
           set.name.empty() ? "" : "of " + set.name + "  ", validation.loss_per_token(),
           perplexity_text(validation.perplexity()), bleu, other_text, human_duration(seconds_since(start)));
  return translations;
}

}  // namespace transformer
