#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <optional>

#include "ops/packed_weight.h"

namespace transformer {

/// A token embedding (§3.4), which may also be the output projection (EmbeddingMatrices).
class EmbeddingImpl : public torch::nn::Module {
 public:
  EmbeddingImpl(int64_t vocabulary_size, int64_t d_model);

  /// tokens [positions]. Returns their rows times sqrt(d_model): [positions, d_model].
  torch::Tensor forward(const torch::Tensor& tokens);

  /// The pre-softmax linear transformation: x [rows, d_model]. Returns logits [rows, vocab]; when packed, in the type
  /// of PackedWeight::multiply.
  torch::Tensor project(const torch::Tensor& x);

  /// Converts to inference-only mode: packs the output projection in this data type and releases the parameter. The
  /// rows are those of the packed matrix or, if its layout cannot return them, are kept in storage_type(type).
  void pack(WeightType type);

  /// Converts an embedding that is not the output projection to inference-only mode: keeps the rows in
  /// storage_type(type).
  void convert_rows(WeightType type);

  /// sqrt(d_model) (§3.4)
  double scale() const;
  const torch::Tensor& weight() const { return weight_; }  // [vocab, d_model]; may be undefined after `pack`
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

  int64_t d_model_;
  torch::Tensor weight_;
  std::optional<Packed> packed_;
};
TORCH_MODULE(Embedding);

}  // namespace transformer
