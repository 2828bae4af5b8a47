#include "decoding/translator.h"

#include <algorithm>
#include <numeric>

#include "base/words.h"
#include "data/batch.h"
#include "data/clean_line.h"
#include "decoding/beam_search.h"
#include "trees/bracket_state.h"

namespace transformer {
namespace {

/// Sinusoidal positions have no end, but memory has: longer inputs are cut here.
constexpr int64_t kMostPositions = 1024;
/// Source pieces searched together at most, padding included: keeps long lines within memory.
constexpr int64_t kMostBatchTokens = 8192;

/// No piece is longer: SentencePiece's have at most 16 characters.
constexpr size_t kMostPieceBytes = 64;

/// At most `limit` bytes of valid UTF-8, ending with a whole character.
std::string first_bytes(const std::string& text, size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  return text.substr(0, limit);
}

/// The Transformer as the search sees it.
class TransformerSearch : public SearchModel {
 public:
  TransformerSearch(Transformer& model, const Sentences& source) : model_(model), state_(model->start(source)) {}

  torch::Tensor next_log_probs(const torch::Tensor& tokens) override {
    const auto logits = model_->step(tokens.to(model_->device()), state_);
    return torch::log_softmax(logits.to(torch::kFloat), 1);
  }

  void keep(const torch::Tensor& sentences, const torch::Tensor& rows) override {
    state_.keep(sentences.to(model_->device()), rows.to(model_->device()));
  }

 private:
  Transformer& model_;
  DecoderState state_;
};

}  // namespace

Translator::Translator(Transformer& model, const Tokenizer& tokenizer, const DecodingConfig& config, int64_t batch_size)
    : model_(model),
      tokenizer_(tokenizer),
      config_(config),
      batch_size_(batch_size),
      most_positions_(std::min(kMostPositions, model->config().max_positions.value_or(kMostPositions))) {
  if (config.trees) brackets_.emplace(tokenizer);
}

std::vector<std::string> Translator::translate(const std::vector<std::string>& lines) {
  torch::NoGradGuard no_grad;
  model_->eval();
  std::vector<std::vector<int32_t>> sources;
  for (const auto& line : lines) sources.push_back(encode(line));
  counts_.lines += static_cast<int64_t>(lines.size());

  // Like lengths together, longest first; every line's translation goes back to its place.
  std::vector<size_t> order(lines.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sources[a].size() > sources[b].size(); });
  std::vector<std::string> translations(lines.size());
  for (size_t first = 0; first < order.size() && !sources[order[first]].empty();) {
    const auto longest = static_cast<int64_t>(sources[order[first]].size()) + 1;
    const auto limit = static_cast<size_t>(std::clamp<int64_t>(kMostBatchTokens / longest, 1, batch_size_));
    std::vector<size_t> places;
    std::vector<std::vector<int32_t>> batch;
    std::vector<int64_t> num_words;
    for (; first < order.size() && batch.size() < limit && !sources[order[first]].empty(); ++first) {
      places.push_back(order[first]);
      batch.push_back(sources[order[first]]);
      num_words.push_back(
          std::min(std::ssize(split_words(lines[order[first]])), most_positions_ - 3));  // the rest was cut
    }
    auto texts = translate_batch(batch, num_words);
    for (size_t i = 0; i < places.size(); ++i) translations[places[i]] = std::move(texts[i]);
  }
  return translations;
}

std::vector<int32_t> Translator::encode(const std::string& line) {
  const auto [text, was_invalid] = clean_line(line);
  if (was_invalid) ++counts_.repaired;
  const std::string beginning = first_bytes(text, static_cast<size_t>(most_positions_) * kMostPieceBytes);
  auto pieces = tokenizer_.encode(beginning);
  const auto most_pieces = static_cast<size_t>(most_positions_ - 1);  // and the end symbol
  if (beginning.size() < text.size() || pieces.size() > most_pieces) ++counts_.cut;
  pieces.resize(std::min(pieces.size(), most_pieces));
  return pieces;
}

std::vector<std::string> Translator::translate_batch(const std::vector<std::vector<int32_t>>& sources,
                                                     const std::vector<int64_t>& num_words) {
  std::vector<int64_t> max_lengths;
  for (const auto& source : sources) {
    const auto length = static_cast<int64_t>(source.size());  // Deviation D11
    max_lengths.push_back(std::min(length + config_.max_extra_tokens,
                                   model_->config().max_positions.value_or(length + config_.max_extra_tokens)));
    max_lengths.back() = std::max<int64_t>(1, max_lengths.back());
  }
  std::optional<TreeConstraint> constraint;
  if (brackets_) {
    for (size_t i = 0; i < max_lengths.size(); ++i)
      max_lengths[i] = std::max(max_lengths[i], shortest_tree(num_words[i]));
    constraint.emplace(*brackets_, num_words, max_lengths);
  }
  TransformerSearch search(model_, make_sources(sources).to(model_->device()));
  const auto hypotheses = beam_search(search, max_lengths,
                                      {.beam_size = config_.beam_size,
                                       .alpha = config_.alpha,
                                       .begin = kBegin,
                                       .end = kEnd,
                                       .never = {kPad, kUnknown, kBegin},
                                       .constraint = constraint ? &*constraint : nullptr});
  std::vector<std::string> texts;
  for (const auto& hypothesis : hypotheses) {
    counts_.output_tokens += static_cast<int64_t>(hypothesis.tokens.size());
    texts.push_back(tokenizer_.decode(hypothesis.tokens));
  }
  return texts;
}

}  // namespace transformer
