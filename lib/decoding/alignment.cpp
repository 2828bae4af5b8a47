#include "decoding/alignment.h"

#include <span>

#include "data/batch.h"
#include "data/batch_by_tokens.h"
#include "data/pair_length.h"
#include "model/attention_weights.h"

namespace transformer {
namespace {

/// The source or output tokens of a batch, end symbols included.
constexpr int64_t kBatchTokens = 4096;

/// More than any weight.
constexpr double kLarge = 1e3;

/// Makes the weights of unknown source pieces the largest ones of unknown output pieces: adds kLarge to them.
/// weights: [T, S].
void add_to_unknown(torch::Tensor weights, const SourceAndOutput& pair,
                    const SourceAndTarget<SpecialTokens>& special_tokens) {
  const auto& source = *pair.source;
  for (size_t t = 0; t < pair.output.size(); ++t) {
    if (pair.output[t] != special_tokens.target().unknown) continue;
    for (size_t s = 0; s < source.size(); ++s) {
      if (source[s] != special_tokens.source().unknown) continue;
      weights[static_cast<int64_t>(t)][static_cast<int64_t>(s)] += kLarge;
    }
  }
}

}  // namespace

std::vector<torch::Tensor> source_attention(const std::vector<Transformer>& models,
                                            const std::vector<SourceAndOutput>& pairs,
                                            const SourceAndTarget<SpecialTokens>& special_tokens) {
  std::vector<SentencePair> sentences;
  for (const auto& [source, output] : pairs) {
    // The decoder's input is the begin symbol and all pieces but the last, which predicts none. With it, an output
    // without an end symbol could have one position more than the model has learned.
    const size_t num_preceding = output.empty() ? 0 : output.size() - 1;
    sentences.push_back({*source, std::span(output).first(num_preceding), 0});
  }
  std::vector<torch::Tensor> of_pairs(pairs.size());
  for (const auto& indices : batch_by_tokens(longest_first(sentences), kBatchTokens)) {
    const Batch batch = make_batch(sentences, indices, special_tokens);
    torch::Tensor weights = torch::zeros({});  // [B, T, S]
    for (Transformer model : models) {
      const Batch on_device = batch.to(model->device());
      const auto heads = last_cross_attention_weights(model, on_device.source, on_device.target_in);  // [B, h, T, S]
      weights = weights + heads.mean(1).cpu();
    }
    weights = weights / static_cast<double>(models.size());
    for (size_t i = 0; i < indices.size(); ++i) {
      const auto pair = static_cast<size_t>(indices[i]);
      const int64_t source_tokens =
          std::ssize(sentences[pair].source) + (special_tokens.source().source_has_end ? 1 : 0);
      of_pairs[pair] = weights[static_cast<int64_t>(i)]
                           .narrow(0, 0, std::ssize(pairs[pair].output))
                           .narrow(1, 0, source_tokens);  // [T, S]
    }
  }
  return of_pairs;
}

std::vector<std::vector<AlignedPieces>> align(const std::vector<Transformer>& models,
                                              const std::vector<SourceAndOutput>& pairs,
                                              const SourceAndTarget<SpecialTokens>& special_tokens) {
  const auto weights = source_attention(models, pairs, special_tokens);
  std::vector<std::vector<AlignedPieces>> alignments(pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].output.empty()) continue;
    const auto of_pieces = weights[i].narrow(1, 0, std::ssize(*pairs[i].source));  // [T, S]
    add_to_unknown(of_pieces, pairs[i], special_tokens);
    const auto aligned = of_pieces.argmax(1);  // [T]
    const auto* piece = aligned.const_data_ptr<int64_t>();
    for (int64_t t = 0; t < aligned.size(0); ++t) alignments[i].push_back({piece[t], t});
  }
  return alignments;
}

}  // namespace transformer
