#include "model/transformer.h"

#include "model/masks.h"
#include "ops/dropout.h"

namespace transformer {
namespace {

// What each of the three attentions of §3.2.3 may look at; self-attention no further than `r` allows (Deviation D19).

AttentionMask encoder_mask(const torch::Tensor& source, const ModelConfig& config, int64_t pad) {
  AttentionMask mask{.allowed = padding_mask(source, pad), .window = {}};
  if (config.r) mask.window = {.before = config.reach(), .after = config.reach()};
  return mask;
}

AttentionMask decoder_mask(const torch::Tensor& target_in, const ModelConfig& config) {
  if (config.r) return {.allowed = {}, .window = Window{.before = config.reach(), .after = 0}};
  return {.allowed = causal_mask(target_in.size(1), target_in.device()), .window = {}};
}

AttentionMask memory_mask(const torch::Tensor& source_mask) { return {.allowed = source_mask, .window = {}}; }

}  // namespace

void DecoderState::keep(const torch::Tensor& sentences, const torch::Tensor& rows) {
  const bool same_sentences = sentences.size(0) == source_mask.size(0);  // retired ones never come back
  for (auto& layer : layers) {
    layer.words.key = layer.words.key.index_select(0, rows);
    layer.words.value = layer.words.value.index_select(0, rows);
    if (same_sentences) continue;
    layer.memory.key = layer.memory.key.index_select(0, sentences);
    layer.memory.value = layer.memory.value.index_select(0, sentences);
  }
  if (!same_sentences) source_mask = source_mask.index_select(0, sentences);
}

TransformerImpl::TransformerImpl(const ModelConfig& config, int64_t vocabulary_size, int64_t pad)
    : config_(config),
      pad_(pad),
      embedding_(register_module("embedding", Embedding(vocabulary_size, config.d_model))),
      source_positions_(register_module("source_positions", PositionalEncoding(config))),
      target_positions_(register_module("target_positions", PositionalEncoding(config))),
      encoder_(register_module("encoder", Encoder(config))),
      decoder_(register_module("decoder", Decoder(config))) {}

torch::Tensor TransformerImpl::forward(const torch::Tensor& source, const torch::Tensor& target_in) {
  return project(decode(target_in, encode(source), source));
}

torch::Tensor TransformerImpl::encode(const torch::Tensor& source) {
  TORCH_CHECK(source.dim() == 2, "source must be [B, S], got ", source.sizes());
  return encoder_(embed(source, source_positions_, 0), encoder_mask(source, config_, pad_));
}

torch::Tensor TransformerImpl::decode(const torch::Tensor& target_in, const torch::Tensor& memory,
                                      const torch::Tensor& source) {
  TORCH_CHECK(target_in.dim() == 2 && target_in.size(0) == source.size(0),
              "target_in must be [B, T] with B = ", source.size(0), ", got ", target_in.sizes());
  TORCH_CHECK(memory.dim() == 3 && memory.size(1) == source.size(1),
              "memory must be [B, S, d_model] with S = ", source.size(1), ", got ", memory.sizes());
  // Padding stands at the end of a target, where the causal mask hides it from every real position.
  return decoder_(embed(target_in, target_positions_, 0), memory, decoder_mask(target_in, config_),
                  memory_mask(padding_mask(source, pad_)));
}

torch::Tensor TransformerImpl::project(const torch::Tensor& x) { return embedding_->project(x); }

DecoderState TransformerImpl::start(const torch::Tensor& source) {
  return {.layers = decoder_->start(encode(source)), .source_mask = padding_mask(source, pad_), .position = 0};
}

torch::Tensor TransformerImpl::step(const torch::Tensor& tokens, DecoderState& state) {
  const auto x = embed(tokens.unsqueeze(1), target_positions_, state.position);  // [rows, 1, d_model]
  const auto y = decoder_->step(x, state.layers, memory_mask(state.source_mask));
  ++state.position;
  return project(y.squeeze(1));  // [rows, vocab]
}

torch::Tensor TransformerImpl::embed(const torch::Tensor& tokens, PositionalEncoding& positions,
                                     int64_t first_position) {
  return counter_dropout(positions(embedding_(tokens), first_position), config_.P_drop, is_training());
}

}  // namespace transformer
