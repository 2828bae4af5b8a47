#include "model/decoder.h"

namespace transformer {
namespace {

/// Keys or values so far, and one more, of which the last `most` stay:
/// [rows, h, t, width] -> [rows, h, min(t + 1, most), width].
torch::Tensor append(const torch::Tensor& so_far, const torch::Tensor& next, std::optional<int64_t> most) {
  if (!so_far.defined()) return next;
  const bool is_full = most && so_far.size(2) == *most;
  return torch::cat({is_full ? so_far.slice(2, 1) : so_far, next}, 2);
}

}  // namespace

DecoderLayerImpl::DecoderLayerImpl(const ModelConfig& config)
    : self_attention_(register_module("self_attention", MultiHeadAttention(config))),
      self_attention_sublayer_(register_module("self_attention_sublayer", Sublayer(config))),
      memory_attention_(register_module("memory_attention", MultiHeadAttention(config))),
      memory_attention_sublayer_(register_module("memory_attention_sublayer", Sublayer(config))),
      feed_forward_(register_module("feed_forward", FeedForward(config))),
      feed_forward_sublayer_(register_module("feed_forward_sublayer", Sublayer(config))) {
  if (config.r) seen_words_ = config.reach() + 1;
}

torch::Tensor DecoderLayerImpl::forward(const torch::Tensor& x, const Packing& target, const torch::Tensor& memory,
                                        const Packing& source, const AttentionMask& mask) {
  auto y = self_attention_sublayer_(x, self_attention_(x, target, x, target, mask), target);
  y = memory_attention_sublayer_(y, memory_attention_(y, target, memory, source, AttentionMask()), target);
  return feed_forward_sublayer_(y, feed_forward_(y, target), target);
}

DecoderLayerCache DecoderLayerImpl::start(const torch::Tensor& memory) {
  return {.words = {}, .memory = memory_attention_->project(memory)};
}

torch::Tensor DecoderLayerImpl::step(const torch::Tensor& x, const Packing& rows, DecoderLayerCache& cache,
                                     const torch::Tensor& source_mask) {
  const auto word = self_attention_->project(x.unsqueeze(1));
  cache.words = {append(cache.words.key, word.key, seen_words_), append(cache.words.value, word.value, seen_words_)};
  const auto attended = self_attention_->attend(x.unsqueeze(1), cache.words, /*allowed=*/{});
  auto y = self_attention_sublayer_(x, attended.squeeze(1), rows);

  // A sentence's hypotheses are the query positions of one attention over its memory, which is kept once.
  const int64_t B = cache.memory.key.size(0);
  const auto queries = y.view({B, -1, y.size(1)});  // [B, hypotheses, d_model]
  y = memory_attention_sublayer_(y, memory_attention_->attend(queries, cache.memory, source_mask).view_as(y), rows);
  return feed_forward_sublayer_(y, feed_forward_(y, rows), rows);
}

DecoderImpl::DecoderImpl(const ModelConfig& config) : layers_(register_module("layers", torch::nn::ModuleList())) {
  for (int64_t n = 0; n < config.N; ++n) layers_->push_back(DecoderLayer(config));
}

torch::Tensor DecoderImpl::forward(const torch::Tensor& x, const Packing& target, const torch::Tensor& memory,
                                   const Packing& source, const AttentionMask& mask) {
  auto y = x;  // [target positions, d_model]
  for (const auto& layer : *layers_) y = layer->as<DecoderLayer>()->forward(y, target, memory, source, mask);
  return y;
}

std::vector<DecoderLayerCache> DecoderImpl::start(const torch::Tensor& memory) {
  std::vector<DecoderLayerCache> caches;
  for (const auto& layer : *layers_) caches.push_back(layer->as<DecoderLayer>()->start(memory));
  return caches;
}

torch::Tensor DecoderImpl::step(const torch::Tensor& x, std::vector<DecoderLayerCache>& caches,
                                const torch::Tensor& source_mask) {
  const Packing rows(std::vector<int64_t>(static_cast<size_t>(x.size(0)), 1));  // one position of each hypothesis
  auto y = x;                                                                   // [rows, d_model]
  for (size_t n = 0; n < layers_->size(); ++n) {
    y = layers_[n]->as<DecoderLayer>()->step(y, rows, caches[n], source_mask);
  }
  return y;
}

}  // namespace transformer
