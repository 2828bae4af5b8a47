#include "model/transformer.h"

#include "ops/embed_tokens.h"

namespace transformer {
namespace {

// The masks of the two self-attentions (§3.2.3), restricted to a window if `r` is set (Deviation D19).

AttentionMask encoder_mask(const ModelConfig& config) { return {.causal = false, .reach = config.reach()}; }

AttentionMask decoder_mask(const ModelConfig& config) { return {.causal = true, .reach = config.reach()}; }

}  // namespace

TransformerImpl::TransformerImpl(const ModelConfig& config, const EmbeddingMatrices& embeddings)
    : config_(config),
      embeddings_(embeddings),
      embedding_(register_module("embedding", Embedding(embeddings.vocabularies.target(), config.d_model))),
      source_positions_(register_module("source_positions", PositionalEncoding(config))),
      target_positions_(register_module("target_positions", PositionalEncoding(config))),
      encoder_(register_module("encoder", Encoder(config))),
      decoder_(register_module("decoder", Decoder(config))) {
  const auto& [vocabularies, tied] = embeddings;
  TORCH_CHECK(!tied.source_and_target || vocabularies.source() == vocabularies.target(), "one embedding matrix for ",
              vocabularies.source(), " source pieces and ", vocabularies.target(), " target pieces");
  if (!tied.source_and_target) {
    source_embedding_ = register_module("source_embedding", Embedding(vocabularies.source(), config.d_model));
  }
  if (!tied.target_and_output) {
    output_projection_ =
        register_module("output_projection", Linear(config.d_model, vocabularies.target(), /*has_bias=*/false));
  }
}

torch::Tensor TransformerImpl::forward(const PackedSequence& source, const PackedSequence& target_in) {
  return project(decode(target_in, encode(source)).data);
}

PackedSequence TransformerImpl::encode(const PackedSequence& source) {
  Embedding& embedding = source_embedding_ ? source_embedding_ : embedding_;
  return encoder_(embed(source, embedding, source_positions_), encoder_mask(config_));
}

PackedSequence TransformerImpl::decode(const PackedSequence& target_in, const PackedSequence& memory) {
  TORCH_CHECK(memory.data.dim() == 2 && memory.data.size(0) == memory.packing.num_positions(), "memory ",
              memory.data.sizes(), " for ", memory.packing.num_positions(), " source positions");
  TORCH_CHECK(target_in.packing.num_sequences() == memory.packing.num_sequences(), target_in.packing.num_sequences(),
              " targets for ", memory.packing.num_sequences(), " sources");
  return decoder_(embed(target_in, embedding_, target_positions_), memory, decoder_mask(config_));
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
  if (source_embedding_) source_embedding_->convert_rows(type);
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
  return {config_.N, config_.reach() ? std::optional(*config_.reach() + 1) : std::nullopt, cache_type};
}

void TransformerImpl::begin(const std::vector<int64_t>& sentence_ids, const PackedSequence& source,
                            DecoderState& state) {
  decoder_->begin(sentence_ids, encode(source), state);
}

torch::Tensor TransformerImpl::step(const std::vector<StepRow>& rows, DecoderState& state) {
  const DecoderStep step = state.step(rows, device());
  const auto& tokens = step.tokens;
  const auto x = target_positions_->at(embedding_(tokens.data), step.position_ids, step.num_positions);
  return project(decoder_->step(tokens.with_data(x), step, state).matmul_input());  // [rows, vocab]
}

PackedSequence TransformerImpl::embed(const PackedSequence& tokens, Embedding& embedding,
                                      PositionalEncoding& positions) {
  if (!is_training()) return positions(tokens.with_data(embedding(tokens.data)));  // the rows may be packed
  const auto table = positions->table(tokens.packing.max_length(), embedding->weight());
  return embed_tokens(tokens, embedding->weight(), embedding->scale(), table, config_.P_drop);
}

}  // namespace transformer
