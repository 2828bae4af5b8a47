#include "model/transformer.h"

#include "ops/dropout.h"
#include "ops/embed_tokens.h"

namespace transformer {
namespace {

// The masks of the two self-attentions (§3.2.3), restricted to a window if `r` is set (Deviation D19).

AttentionMask encoder_mask(const ModelConfig& config) { return {.causal = false, .reach = config.reach()}; }

AttentionMask decoder_mask(const ModelConfig& config) { return {.causal = true, .reach = config.reach()}; }

}  // namespace

TransformerImpl::TransformerImpl(const ModelConfig& config, const VocabularySizes& vocabularies)
    : config_(config),
      embeddings_(config, vocabularies),
      embedding_(register_module(
          "embedding", Embedding(vocabularies.target(), config, config.output_bias && embeddings_.output_is_target))),
      source_{embedding_, register_module("source_positions", PositionalEncoding(config))},
      target_{embedding_, register_module("target_positions", PositionalEncoding(config))},
      encoder_(register_module("encoder", Encoder(config))),
      decoder_(register_module("decoder", Decoder(config))) {
  if (!embeddings_.source_is_target) {
    source_.embedding =
        register_module("source_embedding", Embedding(vocabularies.source(), config, /*has_output_bias=*/false));
  }
  if (!embeddings_.output_is_target) {
    output_projection_ =
        register_module("output_projection", Linear(config.d_model, vocabularies.target(), config.output_bias));
  }
  if (config.embedding_layer_norm) {
    source_.norm = register_module("source_embedding_norm", make_layer_norm(config));
    target_.norm = register_module("target_embedding_norm", make_layer_norm(config));
  }
  target_.starts_from_zeros = config.decoder_start == DecoderStart::zeros;
}

torch::Tensor TransformerImpl::forward(const PackedSequence& source, const PackedSequence& target_in) {
  return project(decode(target_in, encode(source)).data);
}

PackedSequence TransformerImpl::encode(const PackedSequence& source) {
  return encoder_(embed(source, source_), encoder_mask(config_));
}

PackedSequence TransformerImpl::decode(const PackedSequence& target_in, const PackedSequence& memory) {
  TORCH_CHECK(memory.data.dim() == 2 && memory.data.size(0) == memory.packing.num_positions(), "memory ",
              memory.data.sizes(), " for ", memory.packing.num_positions(), " source positions");
  TORCH_CHECK(target_in.packing.num_sequences() == memory.packing.num_sequences(), target_in.packing.num_sequences(),
              " targets for ", memory.packing.num_sequences(), " sources");
  return decoder_(embed(target_in, target_), memory, decoder_mask(config_));
}

torch::Tensor TransformerImpl::project(const torch::Tensor& x) {
  return output_projection_ ? output_projection_(x) : embedding_->project(x);
}

void TransformerImpl::pack(WeightType type) {
  for (const auto& module : modules()) {
    if (auto* attention = module->as<SelfAttention>()) attention->pack(type);
    if (auto* attention = module->as<CrossAttention>()) attention->pack(type);
    if (auto* feed_forward = module->as<FeedForward>()) feed_forward->pack(type);
  }
  if (!embeddings_.source_is_target) source_.embedding->convert_rows(type);
  // The largest matrix last: it is packed into the memory that the others released.
  if (output_projection_) {
    embedding_->convert_rows(type);
    output_projection_->pack(type);
  } else {
    embedding_->pack(type);
  }
}

DecoderState TransformerImpl::empty_state() const {
  const auto cache_type = embedding_->row_type();  // storage_type, or that of the parameters before `pack`
  return {config_.num_decoder_layers(), config_.reach() ? std::optional(*config_.reach() + 1) : std::nullopt,
          cache_type};
}

void TransformerImpl::begin(const std::vector<int64_t>& sentence_ids, const PackedSequence& source,
                            DecoderState& state) {
  decoder_->begin(sentence_ids, encode(source), state);
}

torch::Tensor TransformerImpl::step(const std::vector<StepRow>& rows, DecoderState& state) {
  const DecoderStep step = state.step(rows, device());
  const auto& tokens = step.tokens;
  const auto x = embedding_sums(tokens.data, step.position_ids, step.num_positions, target_);
  return project(decoder_->step(tokens.with_data(x), step, state).matmul_input());  // [rows, vocab]
}

PackedSequence TransformerImpl::embed(const PackedSequence& tokens, StackInput& input) {
  const auto& packing = tokens.packing;
  if (is_training() && !input.norm && !input.starts_from_zeros) {  // in one operation
    const auto table = input.positions->table(packing.max_length(), input.embedding->weight());
    return embed_tokens(tokens, input.embedding->weight(), input.embedding->scale(), table, config_.P_drop);
  }
  const auto x = embedding_sums(tokens.data, packing.position_ids(), packing.max_length(), input);
  return dropout(tokens.with_data(x), is_training() ? config_.P_drop : 0.0);
}

torch::Tensor TransformerImpl::embedding_sums(const torch::Tensor& tokens, const torch::Tensor& position_ids,
                                              int64_t num_positions, StackInput& input) {
  auto x = input.embedding(tokens);
  if (input.starts_from_zeros) x = x.masked_fill(position_ids.eq(0).unsqueeze(1), 0);
  x = input.positions->at(x, position_ids, num_positions);
  return input.norm ? input.norm(x) : x;
}

}  // namespace transformer
