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

torch::Tensor TransformerImpl::source_attention(const Sentences& target_in, const Sentences& source) {
  return decoder_->memory_weights(embed(target_in, target_positions_), target_in.packing, encode(source),
                                  source.packing, decoder_mask(config_));
}

void TransformerImpl::pack(WeightType type) {
  for (const auto& module : modules()) {
    if (auto* attention = module->as<MultiHeadAttention>()) attention->pack(type);
    if (auto* feed_forward = module->as<FeedForward>()) feed_forward->pack(type);
  }
  embedding_->pack(type);  // the largest, into the memory of the others
}

DecoderState TransformerImpl::empty_state() const {
  return {config_.N, config_.r ? std::optional(config_.reach() + 1) : std::nullopt};
}

void TransformerImpl::begin(const std::vector<int64_t>& numbers, const Sentences& source, DecoderState& state) {
  decoder_->begin(numbers, encode(source), source.packing, state);
}

torch::Tensor TransformerImpl::step(const std::vector<StepRow>& rows, DecoderState& state) {
  const DecoderStep step = state.step(rows, device());
  const auto x = target_positions_->at(embedding_(step.tokens), step.positions, step.longest);  // [rows, d_model]
  return project(decoder_->step(x, step, state));                                               // [rows, vocab]
}

torch::Tensor TransformerImpl::embed(const Sentences& sentences, PositionalEncoding& positions) {
  TORCH_CHECK(sentences.tokens.dim() == 1 && sentences.tokens.size(0) == sentences.packing.positions(),
              sentences.tokens.sizes(), " tokens for ", sentences.packing.positions(), " positions");
  return counter_dropout(positions(embedding_(sentences.tokens), sentences.packing), sentences.packing, config_.P_drop,
                         is_training());
}

}  // namespace transformer
