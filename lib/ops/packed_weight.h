#pragma once

#include <torch/torch.h>

#include <array>
#include <memory>

#include "base/fields.h"

namespace transformer {

/// What the matrices of a model that only runs are kept in. int8: each row of a matrix has a scale of its own, and so
/// has each row that it is multiplied with, so that a row's product does not depend on its neighbours.
enum class WeightType { fp32, bf16, fp16, int8 };

template <>
struct EnumNames<WeightType> {
  static constexpr std::array names = {"fp32", "bf16", "fp16", "int8"};
};

/// What is kept beside such matrices, rows that are looked up, keys and values: their own type, and for int8 bf16.
torch::ScalarType row_type(WeightType type);

/// A matrix and a bias, laid out for products. May be used by several threads at once.
class PackedWeight {
 public:
  virtual ~PackedWeight() = default;

  /// x [rows, in] in fp32. Returns x W^T + b [rows, out] in fp32.
  virtual torch::Tensor multiply(const torch::Tensor& x) const = 0;

  /// Whether `rows` gives W's rows back: not every layout keeps them.
  virtual bool has_rows() const { return false; }
  /// The rows of W with these numbers [n]: [n, in] in fp32.
  virtual torch::Tensor rows(const torch::Tensor& /*numbers*/) const { TORCH_CHECK(false, "no rows are kept"); }
};

/// weight [out, in]; bias [out] or undefined. Throws UsageError where the device does not have the type.
std::unique_ptr<const PackedWeight> pack_weight(const torch::Tensor& weight, const torch::Tensor& bias,
                                                WeightType type);

}  // namespace transformer
