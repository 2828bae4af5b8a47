#pragma once

#include <vector>

#include "model/init.h"
#include "model/transformer.h"

namespace transformer {

/// A network small enough to look at.
inline ModelConfig tiny_config() {
  ModelConfig config;
  config.N = 2;
  config.d_model = 16;
  config.d_ff = 32;
  config.h = 4;
  return config;
}

/// Variants of a config as other programs have them (Deviation D23); together they differ from it in each key.
inline std::vector<ModelConfig> family_configs(const ModelConfig& base) {
  ModelConfig marian = base, marianmt = base, fairseq = base, pre_norm = base, final_norm = base;
  marian.decoder_layers = 1;
  marian.activation = Activation::gelu_sigmoid;
  marian.attention_bias = marian.output_bias = true;
  marian.sinusoids = Sinusoids::tensor2tensor;
  marian.decoder_start = DecoderStart::zeros;

  marianmt.activation = Activation::swish;
  marianmt.attention_bias = marianmt.output_bias = true;
  marianmt.sinusoids = Sinusoids::halves;
  marianmt.layer_norm_epsilon = 1e-5;
  marianmt.tied_embeddings = EmbeddingTies::target_and_output;
  marianmt.decoder_start = DecoderStart::pad;

  fairseq.activation = Activation::gelu;
  fairseq.attention_bias = true;
  fairseq.sinusoids = Sinusoids::tensor2tensor;
  fairseq.first_position = 2;
  fairseq.scale_embedding = false;
  fairseq.embedding_layer_norm = true;
  fairseq.layer_norm_epsilon = 1e-5;
  fairseq.tied_embeddings = EmbeddingTies::none;
  fairseq.decoder_start = DecoderStart::end;

  pre_norm.decoder_layers = base.N + 1;
  pre_norm.layer_norm = NormOrder::pre;
  pre_norm.final_layer_norm = false;
  pre_norm.attention_bias = pre_norm.output_bias = true;
  pre_norm.d_k = 8;
  pre_norm.d_v = 16;
  pre_norm.tied_embeddings = EmbeddingTies::source_and_target;

  final_norm.final_layer_norm = true;
  final_norm.embedding_layer_norm = true;
  final_norm.position = Position::learned;
  final_norm.max_positions = 10;
  final_norm.decoder_start = DecoderStart::zeros;
  return {marian, marianmt, fairseq, pre_norm, final_norm};
}

/// Gives each bias and each LayerNorm values of its own, since the initial ones would hide that they are left out.
inline void randomize_vectors(Transformer& model) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : model->parameters()) {
    if (parameter.dim() == 1) parameter.add_(torch::randn_like(parameter), 0.3);
  }
}

inline Transformer tiny_model(const ModelConfig& config, int64_t vocabulary_size = 20) {
  Transformer model(config, vocabulary_size);
  initialize(model, 1);
  model->eval();
  return model;
}

}  // namespace transformer
