#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <optional>

#include "model/model_config.h"
#include "ops/packed_weight.h"

namespace transformer {

/// A token embedding (§3.4), which may also be the output projection (EmbeddingMatrices).
class EmbeddingImpl : public torch::nn::Module {
 public:
  /// `has_output_bias`: whether it is an output projection with a bias.
  EmbeddingImpl(int64_t vocabulary_size, const ModelConfig& config, bool has_output_bias);

  /// tokens [positions]. Returns their rows times `scale`: [positions, d_model].
  torch::Tensor forward(const torch::Tensor& tokens);

  /// The pre-softmax linear transformation: x [rows, d_model]. Returns logits [rows, vocab]; when packed, in the type
  /// of PackedWeight::multiply.
  torch::Tensor project(const torch::Tensor& x);

  /// Takes the output projection in int8, for `pack` with int8.
  void set_quantized(const QuantizedMatrix& weight) { quantized_ = weight; }
  /// Converts to inference-only mode: packs the output projection in this data type and releases the parameter. The
  /// rows are those of the packed matrix or, if its layout cannot return them, are kept in storage_type(type).
  void pack(WeightType type);

  /// Converts an embedding that is not the output projection to inference-only mode: keeps the rows in
  /// storage_type(type).
  void convert_rows(WeightType type);

  /// sqrt(d_model) (§3.4), or 1 without `scale_embedding`.
  double scale() const { return scale_; }
  const torch::Tensor& weight() const { return weight_; }  // [vocab, d_model]; may be undefined after `pack`
  const torch::Tensor& bias() const { return bias_; }      // [vocab]; undefined without one and after `pack`
  torch::Device device() const { return packed_ ? packed_->device : weight_.device(); }
  /// The data type of the rows.
  torch::ScalarType row_type() const { return packed_ ? storage_type(packed_->type) : weight_.scalar_type(); }

 private:
  struct Packed {
    std::unique_ptr<const PackedWeight> weight;
    WeightType type;
    torch::Device device;
  };

  torch::Tensor rows(const torch::Tensor& tokens);

  double scale_;
  torch::Tensor weight_, bias_;
  std::optional<QuantizedMatrix> quantized_;
  std::optional<Packed> packed_;
};
TORCH_MODULE(Embedding);

}  // namespace transformer
