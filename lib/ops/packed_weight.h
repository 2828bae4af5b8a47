#pragma once

#include <torch/types.h>

#include <array>
#include <memory>

#include "base/enum_names.h"
#include "ops/quantization.h"

namespace transformer {

/// The data type of the matrices of a model in inference-only mode. With int8 each row of a matrix and each row that it
/// is multiplied with has a scale of its own, so a row of the product does not depend on its neighbors.
enum class WeightType { fp32, bf16, fp16, int8 };

template <>
struct EnumNames<WeightType> {
  static constexpr std::array names = {"fp32", "bf16", "fp16", "int8"};
};

/// The data type in which a model with matrices of this type stores embedding rows, keys and values: the same type, or
/// bf16 with int8.
torch::ScalarType storage_type(WeightType type);

/// A matrix W and a bias b, laid out for products. Safe to use from several threads at once.
class PackedWeight {
 public:
  virtual ~PackedWeight() = default;

  /// x [rows, in] in fp32 or, on a GPU, in the type of W. Returns x W^T + b [rows, out] in fp32 or, on a GPU, in the
  /// type of W.
  virtual torch::Tensor multiply(const torch::Tensor& x) const = 0;
  /// max(0, multiply(x)); needs a bias. On a GPU a single operation.
  virtual torch::Tensor multiply_relu(const torch::Tensor& x) const { return multiply(x).relu_(); }

  /// Whether `rows` can return rows of W: not every layout can.
  virtual bool has_rows() const { return false; }
  /// The rows of W with the indices [n]: [n, in] in fp32.
  virtual torch::Tensor rows(const torch::Tensor& /*indices*/) const {
    TORCH_CHECK(false, "this layout cannot return rows");
  }
};

/// weight [out, in]; bias [out] or undefined. Throws UsageError if the device does not support the type.
std::unique_ptr<const PackedWeight> pack_weight(const torch::Tensor& weight, const torch::Tensor& bias,
                                                WeightType type);

/// The same with int8 and the result of `quantize(weight)`. The product is the same, bit for bit, unless the processor
/// has AVX2 or AVX-512 but not VNNI: there the matrix is quantized a second time, to smaller integers.
std::unique_ptr<const PackedWeight> pack_weight(const QuantizedMatrix& weight, const torch::Tensor& bias);

}  // namespace transformer
