#include "model/attention_weights.h"

#include "ops/attention_observer.h"

namespace transformer {
namespace {

torch::Tensor fp32_weights(const PackedSequence& query, const PackedSequence& key, const AttentionMask& mask) {
  const auto fp32 = [](const PackedSequence& x) { return x.with_data(x.data.to(torch::kFloat)); };
  return attention_weights(fp32(query), fp32(key), mask);
}

}  // namespace

AttentionWeights attention_weights(Transformer& model, const PackedSequence& source, const PackedSequence& target_in) {
  AttentionWeights weights;
  const auto encode = [&] {
    const AttentionObserver observer([&](const auto& query, const auto& key, const AttentionMask& mask) {
      weights.encoder.push_back(fp32_weights(query, key, mask));
    });
    return model->encode(source);
  };
  const PackedSequence memory = encode();
  // Of the decoder's attentions only self-attention is causal.
  const AttentionObserver observer([&](const auto& query, const auto& key, const AttentionMask& mask) {
    (mask.causal ? weights.decoder : weights.cross).push_back(fp32_weights(query, key, mask));
  });
  model->decode(target_in, memory);
  return weights;
}

torch::Tensor last_cross_attention_weights(Transformer& model, const PackedSequence& source,
                                           const PackedSequence& target_in) {
  const PackedSequence memory = model->encode(source);
  PackedSequence last_query, last_key;
  const AttentionObserver observer([&](const auto& query, const auto& key, const AttentionMask& mask) {
    if (mask.causal) return;  // self-attention
    last_query = query;
    last_key = key;
  });
  model->decode(target_in, memory);
  return fp32_weights(last_query, last_key, AttentionMask());
}

}  // namespace transformer
