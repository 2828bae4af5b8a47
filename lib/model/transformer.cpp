#include "model/transformer.h"

#include "ops/dropout.h"

namespace transformer {
namespace {

// What the two self-attentions may look at (§3.2.3), no further than `r` allows (Deviation D19).

AttentionMask encoder_mask(const ModelConfig& config) {
  AttentionMask mask;
  if (config.r) mask.window = {.before = config.reach(), .after = config.reach()};
  return mask;
}

AttentionMask decoder_mask(const ModelConfig& config) {
  AttentionMask mask{.causal = true, .window = {}};
  if (config.r) mask.window = {.before = config.reach(), .after = 0};
  return mask;
}

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

TransformerImpl::TransformerImpl(const ModelConfig& config, int64_t vocabulary_size)
    : config_(config),
      embedding_(register_module("embedding", Embedding(vocabulary_size, config.d_model))),
      source_positions_(register_module("source_positions", PositionalEncoding(config))),
      target_positions_(register_module("target_positions", PositionalEncoding(config))),
      encoder_(register_module("encoder", Encoder(config))),
      decoder_(register_module("decoder", Decoder(config))) {}

torch::Tensor TransformerImpl::forward(const Sentences& source, const Sentences& target_in) {
  return project(decode(target_in, encode(source), source.packing));
}

torch::Tensor TransformerImpl::encode(const Sentences& source) {
  return encoder_(embed(source, source_positions_), source.packing, encoder_mask(config_));
}

torch::Tensor TransformerImpl::decode(const Sentences& target_in, const torch::Tensor& memory, const Packing& source) {
  TORCH_CHECK(memory.dim() == 2 && memory.size(0) == source.positions(), "memory ", memory.sizes(), " for ",
              source.positions(), " source positions");
  TORCH_CHECK(target_in.packing.sentences() == source.sentences(), target_in.packing.sentences(), " targets for ",
              source.sentences(), " sources");
  return decoder_(embed(target_in, target_positions_), target_in.packing, memory, source, decoder_mask(config_));
}

torch::Tensor TransformerImpl::project(const torch::Tensor& x) { return embedding_->project(x); }

DecoderState TransformerImpl::start(const Sentences& source) {
  return {.layers = decoder_->start(source.packing.pad(encode(source))),
          .source_mask = source.packing.mask().unsqueeze(1).unsqueeze(1),
          .position = 0};
}

torch::Tensor TransformerImpl::step(const torch::Tensor& tokens, DecoderState& state) {
  const auto x = target_positions_->at(embedding_(tokens), state.position++);  // [rows, d_model]
  return project(decoder_->step(x, state.layers, state.source_mask));          // [rows, vocab]
}

torch::Tensor TransformerImpl::embed(const Sentences& sentences, PositionalEncoding& positions) {
  TORCH_CHECK(sentences.tokens.dim() == 1 && sentences.tokens.size(0) == sentences.packing.positions(),
              sentences.tokens.sizes(), " tokens for ", sentences.packing.positions(), " positions");
  return counter_dropout(positions(embedding_(sentences.tokens), sentences.packing), sentences.packing, config_.P_drop,
                         is_training());
}

}  // namespace transformer
