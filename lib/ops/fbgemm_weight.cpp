#include "ops/weight_layouts.h"

#if defined(__x86_64__)
#include <ATen/Parallel.h>
#include <fbgemm/Fbgemm.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "kernels/cpu/quantize_rows.h"
#include "ops/quantization.h"
#include "platform/cpu_features.h"
#endif

namespace transformer {

#if defined(__x86_64__)
namespace {

/// W [out, in] in int8, which FBGEMM takes for a PackBMatrix of W^T. The constructor of that class moves one byte at a
/// time, which took half of the time in which a model was loaded.
class FbgemmMatrix : public fbgemm::PackMatrix<fbgemm::PackBMatrix<int8_t>, int8_t> {
 public:
  explicit FbgemmMatrix(const torch::Tensor& weight)
      : PackMatrix(static_cast<int32_t>(weight.size(1)), static_cast<int32_t>(weight.size(0)), /*pmat=*/nullptr) {
    // Its blocks have a size that depends on the processor alone.
    const std::array<int8_t, kUnit> row{};
    const fbgemm::PackBMatrix<int8_t> small(fbgemm::matrix_op_t::Transpose, kUnit, 1, row.data(), kUnit);
    brow_ = small.blockRowSize();
    bcol_ = small.blockColSize();
    TORCH_CHECK(small.addr(1, 0) == 1 && small.addr(0, 1) == kUnit && brow_ % kUnit == 0);
    packedBlock({0, numRows(), 0, numCols()});
    values_ = torch::zeros({int64_t{blockRows()} * blockCols() * brow_ * bcol_}, torch::kChar);
    buf_ = values_.mutable_data_ptr<int8_t>();
    at::parallel_for(0, blockCols(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t column = begin; column < end; ++column) pack_blocks(weight, static_cast<int32_t>(column));
    });
  }

 private:
  static constexpr int32_t kUnit = 4;  // adjacent values of a row of W that stay together

  /// Packs the blocks for `bcol_` rows of W. In a block, units of the same columns of W are adjacent.
  void pack_blocks(const torch::Tensor& weight, int32_t block_column) {
    const int64_t width = weight.size(1), first = int64_t{block_column} * bcol_;
    const int64_t rows = std::min<int64_t>(bcol_, weight.size(0) - first);
    const int8_t* from = weight.const_data_ptr<int8_t>() + first * width;
    for (int32_t block_row = 0; block_row < blockRows(); ++block_row) {
      const int64_t column = int64_t{block_row} * brow_, columns = std::min<int64_t>(brow_, width - column);
      int8_t* to = getBuf(block_column, block_row);
      for (int64_t row = 0; row < rows; ++row) {
        const int8_t* values = from + row * width + column;
        int8_t* unit = to + row * kUnit;
        const int64_t whole = columns / kUnit * kUnit;
        for (int64_t i = 0; i < whole; i += kUnit, unit += bcol_ * kUnit) std::memcpy(unit, values + i, kUnit);
        if (whole < columns) std::memcpy(unit, values + whole, static_cast<size_t>(columns - whole));
      }
    }
  }

  torch::Tensor values_;
};

/// The sums of the rows of W [out, in] in int8: [out] in int32. LibTorch's sum first converts all of W.
torch::Tensor row_sums(const torch::Tensor& weight) {
  const int64_t width = weight.size(1);
  auto sums = torch::empty({weight.size(0)}, torch::kInt);
  const auto* from = weight.const_data_ptr<int8_t>();
  auto* to = sums.mutable_data_ptr<int32_t>();
  for (int64_t row = 0; row < sums.size(0); ++row, from += width) to[row] = std::accumulate(from, from + width, 0);
  return sums;
}

class FbgemmInt8Weight : public PackedWeight {
 public:
  FbgemmInt8Weight(const QuantizedMatrix& weight, const torch::Tensor& bias)
      : out_(weight.quantized.size(0)),
        bias_(bias.defined() ? bias.clone() : torch::zeros({out_})),
        scales_(weight.inverse_scales.reciprocal()),
        sums_(row_sums(weight.quantized)),
        matrix_(std::make_unique<FbgemmMatrix>(weight.quantized)) {}

  torch::Tensor multiply(const torch::Tensor& x) const override {
    // Without VNNI, sums of two products of more than 7 and 8 bits overflow 16 bits.
    const int32_t max_level = has_int8_dot_product() ? 255 : 127;
    const auto levels = torch::empty(x.sizes(), torch::kByte);
    const auto rows = cpu::quantize_rows(x, max_level, cpu::QuantizationRange::asymmetric, levels);
    const auto y = torch::empty({x.size(0), out_}, torch::kInt);
    const int num_threads = at::get_num_threads();
    at::parallel_for(0, num_threads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) multiply_part(levels, y, static_cast<int>(part), num_threads);
    });
    return cpu::dequantize_products(y, rows, sums_, scales_, bias_);
  }

 private:
  /// Computes one of `num_parts` parts of the product y [rows, out].
  void multiply_part(const torch::Tensor& levels, const torch::Tensor& y, int part, int num_parts) const {
    const auto num_rows = static_cast<int32_t>(levels.size(0)), width = static_cast<int32_t>(levels.size(1));
    auto* to = y.mutable_data_ptr<int32_t>();
    fbgemm::PackAMatrix<uint8_t> packed(fbgemm::matrix_op_t::NoTranspose, num_rows, width,
                                        levels.const_data_ptr<uint8_t>(), width);
    fbgemm::DoNothing<int32_t, int32_t> nothing;
    const fbgemm::memCopy<> keep(nothing);
    fbgemm::fbgemmPacked(packed, *matrix_, to, to, static_cast<uint32_t>(out_), keep, part, num_parts);
  }

  int64_t out_;
  torch::Tensor bias_, scales_, sums_;  // [out]
  std::unique_ptr<FbgemmMatrix> matrix_;
};

}  // namespace
#endif

std::unique_ptr<const PackedWeight> pack_fbgemm_int8_weight(const QuantizedMatrix& weight, const torch::Tensor& bias) {
#if defined(__x86_64__)
  if (instruction_set() == InstructionSet::avx2) fbgemm::fbgemmForceIsa(fbgemm::inst_set_t::avx2);
  if (weight.quantized.is_cpu() && instruction_set() != InstructionSet::baseline && fbgemm::fbgemmSupportedCPU())
    return std::make_unique<FbgemmInt8Weight>(weight, bias);
#endif
  return nullptr;
}

}  // namespace transformer
