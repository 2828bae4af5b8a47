#include "run/validation_translator.h"

#include <algorithm>
#include <limits>

#include "base/format.h"
#include "base/found_lines.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "decoding/non_finite_scores.h"
#include "evaluation/chrf.h"
#include "evaluation/ter.h"
#include "evaluation/text_kind.h"
#include "inference/encode_line.h"
#include "inference/translator.h"
#include "platform/out_of_memory.h"

namespace transformer {
namespace {

/// No warning, because a model that has hardly been trained repeats itself until the limit.
void log_lines_at_limit(const std::vector<TranslatedLine>& lines, const std::string& model_name) {
  const auto count =
      std::count_if(lines.begin(), lines.end(), [](const TranslatedLine& line) { return line.best().reached_limit; });
  if (count == 0) return;
  log_info("{}: {} of {} were cut at the length limit (decoding.max_extra_tokens)", model_name, with_thousands(count),
           counted(std::ssize(lines), "translation"));
}

}  // namespace

ValidationTranslator::ValidationTranslator(const ValidationSet& set, const Config& config)
    : config_(config),
      source_file_(set.source),
      source_(read_lines(set.source)),
      target_{set.target, read_lines(set.target)} {
  bleu_.tokenization = config.evaluation.tokenize;
  bleu_.tokenizer_model = config.evaluation.tokenizer_model.value_or("");
  bleu_.effective_order = !has_four_words(target_.lines, {bleu_.tokenization, bleu_.tokenizer_model});
}

void ValidationTranslator::warn_of_long_lines(const Tokenizer& tokenizer, const ModelConfig& model) const {
  const LengthLimit limit = length_limit(model);
  FoundLines found;
  for (size_t i = 0; i < source_.size(); ++i) {
    if (encode_line(tokenizer, source_[i], limit).was_cut) found.add(static_cast<int64_t>(i) + 1);
  }
  if (found.count == 0) return;
  log_warning("{}:{}: has too many pieces, {}; validation translates only the beginning, so divide such lines",
              source_file_, found.first, first_of_such_lines(found.count));
}

ValidationTranslator::Translations ValidationTranslator::translate(Transformer& model, const Tokenizers& tokenizers,
                                                                   const std::string& model_name) const {
  try {
    return halve_until_it_fits(
        "translation of the validation text", "line", TranslatorOptions().batch_size, [&](int64_t lines) {
          const Translator translator(model, tokenizers, config_.decoding, {.batch_size = lines});
          const auto translated = translator.translate(requests_of(source_));
          log_lines_at_limit(translated, model_name);
          return best_texts(translated);
        });
  } catch (const NonFiniteScores&) {
    log_warning("{}: the model's scores are NaN or infinite; the validation text is not translated", model_name);
    return std::nullopt;
  }
}

double ValidationTranslator::score(const Translations& translations, ValidationMetric metric) const {
  TORCH_CHECK(metric != ValidationMetric::loss, "the loss is no metric of translations");
  if (!translations) return std::numeric_limits<double>::quiet_NaN();
  if (metric == ValidationMetric::ter)
    return corpus_score(Ter(TercomOptions()), {"hypothesis", *translations}, {target_});
  if (metric == ValidationMetric::chrf)
    return corpus_score(Chrf(ChrfOptions()), {"hypothesis", *translations}, {target_});
  return corpus_bleu(*translations, {target_}, bleu_).score;
}

}  // namespace transformer
