#include "kernels/cpu/int8_panels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/cpu/panels.h"

namespace transformer::cpu {
namespace {

/// Over all groups of four numbers of a row of W [depth] whose products the kernel adds together: the largest sum of
/// their positive numbers, or of the absolute values of their negative ones.
[[gnu::always_inline]] inline float max_sum_of_four(const float* w, int64_t depth) {
  float most = 0;
  for (int64_t c = 0; c < depth; c += kInt8UnitsTogether * kInt8Unit) {
    for (int64_t i = c; i < c + kInt8Unit; i += 2) {
      const float first = w[i], second = w[i + 1], third = w[i + kInt8Unit], fourth = w[i + kInt8Unit + 1];
      const float sizes = std::abs(first) + std::abs(second) + std::abs(third) + std::abs(fourth);
      most = std::max(most, sizes + std::abs(first + second + third + fourth));
    }
  }
  return most / 2;
}

/// Quantizes a row of W [depth] symmetrically: the largest absolute value becomes the largest level up to 127 with
/// which no sum of four products exceeds int16. Returns the inverse scale, 1 for zeros.
template <class Floats>
[[gnu::always_inline]] inline float quantize_weights_of(const float* w, int64_t depth, int8_t* levels) {
  static constexpr float kMaxLevel = 127;
  static constexpr float kMaxSum =
      std::numeric_limits<int16_t>::max() / kInt8MaxLevel - 4 * 0.5F;  // each of the four may be rounded up
  float largest = 0;
  for (int64_t c = 0; c < depth; ++c) largest = std::max(largest, std::abs(w[c]));
  if (largest <= kMinRange) largest = kMaxLevel;
  const float max_inverse_scale = kMaxSum / max_sum_of_four(w, depth);
  const float inverse_scale = std::min(std::floor(max_inverse_scale * largest), kMaxLevel) / largest;
  for (int64_t c = 0; c < depth; ++c) levels[c] = static_cast<int8_t>(std::nearbyint(w[c] * inverse_scale));
  return inverse_scale;
}

#if defined(__x86_64__)

// Instructions for bytes, in assembly: each width of the vectors has intrinsic functions of its own, which can be
// inlined only into functions that are compiled for that width, and not into a template of the width.

/// Bytes and int16 as vectors of units.
template <class Floats>
using Units = typename SimdOf<Floats>::Integers;

/// In each int16 of `sums` the sum of two products of unsigned and signed bytes (AVX2: VPMADDUBSW).
template <class Units>
[[gnu::always_inline]] inline void multiply_pairs(Units& sums, const Units& levels, const Units& weights) {
  asm("vpmaddubsw %2, %1, %0" : "=v"(sums) : "v"(levels), "v"(weights));
}
/// Adds the int16 of y to those of x (VPADDW).
template <class Units>
[[gnu::always_inline]] inline void add_int16(Units& x, const Units& y) {
  asm("vpaddw %1, %0, %0" : "+v"(x) : "v"(y));
}
/// Adds pairs of int16 (VPMADDWD).
template <class Units>
[[gnu::always_inline]] inline void add_pairs(Units& x, const Units& ones) {
  asm("vpmaddwd %1, %0, %0" : "+v"(x) : "v"(ones));
}

/// Quantized levels x times a matrix; the rows' zero points and scales and the columns' sums and scales turn the result
/// into the product of the matrices.
struct Dequantization {
  const RowQuantization* rows;
  const int32_t* column_sum;
  const float *column_scale, *bias;
};

template <class Floats, int kRows>
[[gnu::always_inline]] inline void multiply_block(const PanelProduct<int32_t>& product, const Dequantization& to) {
  const int32_t *x = product.x, *panel = product.panel, *ahead = product.ahead;
  const RowQuantization* rows = to.rows + product.row;
  const Units<Floats> ones = Units<Floats>{} + 0x00010001;
  Units<Floats> sums[kRows][kPanelVectors];
  std::memcpy(sums[0], to.column_sum + product.column, sizeof(sums[0]));
  for (int r = kRows - 1; r >= 0; --r) {
    for (int v = 0; v < kPanelVectors; ++v) sums[r][v] = sums[0][v] * -rows[r].zero_point;
  }
  for (int64_t k = 0; k < product.depth; k += kInt8UnitsTogether, x += kInt8UnitsTogether * kRows) {
    for (int unit = 0; unit < kInt8UnitsTogether; ++unit, ahead += product.step) prefetch<Floats, kRows>(ahead);
    Units<Floats> weights[kInt8UnitsTogether][kPanelVectors];
    for (int unit = 0; unit < kInt8UnitsTogether; ++unit) {
      for (int v = 0; v < kPanelVectors; ++v) {
        std::memcpy(&weights[unit][v], panel + unit * kPanel<Floats> + v * kLanes<Floats>, sizeof(weights[unit][v]));
      }
    }
    for (int r = 0; r < kRows; ++r) {
      const Units<Floats> first = Units<Floats>{} + x[r], second = Units<Floats>{} + x[kRows + r];
      for (int v = 0; v < kPanelVectors; ++v) {
        Units<Floats> fours, more;
        multiply_pairs(fours, first, weights[0][v]);
        multiply_pairs(more, second, weights[1][v]);
        add_int16(fours, more);
        add_pairs(fours, ones);
        sums[r][v] += fours;
      }
    }
    panel += kInt8UnitsTogether * kPanel<Floats>;
  }
  for (int r = 0; r < kRows; ++r) {
    Floats scaled[kPanelVectors];
    for (int v = 0; v < kPanelVectors; ++v) {
      Floats scale, shift;
      load(scale, to.column_scale + product.column + v * kLanes<Floats>);
      load(shift, to.bias + product.column + v * kLanes<Floats>);
      scaled[v] = __builtin_convertvector(sums[r][v], Floats) * scale * rows[r].scale + shift;
    }
    store_row(product, r, scaled);
  }
}

template <class Vector>
struct Int8Kernel {
  Dequantization to;

  template <int kRows>
  void multiply(const PanelProduct<int32_t>& product) const {
    run_with<Vector>(TRANSFORMER_BODY(multiply_block<Floats, kRows>(product, to)));
  }
};

#endif

}  // namespace

Int8Panels pack_int8_panels(const torch::Tensor& weight, const torch::Tensor& bias) {
  const int64_t out = weight.size(0), in = weight.size(1), width = panel_width();
  const int64_t depth = at::round_up(in, kInt8UnitsTogether * kInt8Unit), num_units = depth / kInt8Unit;
  Int8Panels packed{torch::zeros({num_panels(out), num_units, width}, torch::kInt),
                    torch::zeros({num_panels(out) * width}, torch::kInt), torch::zeros({num_panels(out) * width}),
                    torch::zeros({num_panels(out) * width}), out};
  if (bias.defined()) packed.bias.narrow(0, 0, out).copy_(bias);
  const auto rows = weight.contiguous();
  const auto* w = rows.const_data_ptr<float>();
  auto* panels = packed.panels.mutable_data_ptr<int32_t>();
  auto* sums = packed.sums.mutable_data_ptr<int32_t>();
  auto* scales = packed.scales.mutable_data_ptr<float>();
  at::parallel_for(0, num_panels(out), 1, [&](int64_t begin, int64_t end) {
    std::vector<float> row(static_cast<size_t>(depth));
    std::vector<int8_t> levels(static_cast<size_t>(depth));
    for (int64_t i = begin * width; i < std::min(out, end * width); ++i) {
      std::copy_n(w + i * in, in, row.begin());
      const float* from = row.data();
      int8_t* to = levels.data();
      scales[i] = 1 / TRANSFORMER_SIMD(return quantize_weights_of<Floats>(from, depth, to));
      sums[i] = std::accumulate(levels.begin(), levels.end(), 0);
      int32_t* units = panels + i / width * num_units * width + i % width;
      for (int64_t k = 0; k < num_units; ++k) std::memcpy(units + k * width, to + k * kInt8Unit, kInt8Unit);
    }
  });
  return packed;
}

torch::Tensor multiply_int8_panels(const torch::Tensor& x, const std::vector<RowQuantization>& rows,
                                   const Int8Panels& weight) {
#if defined(__x86_64__)
  const auto units = x.view(torch::kInt);
  const Dequantization to{rows.data(), weight.sums.const_data_ptr<int32_t>(), weight.scales.const_data_ptr<float>(),
                          weight.bias.const_data_ptr<float>()};
  if (instruction_set() == InstructionSet::avx512) {
    using Floats = FloatVector<16>;
    return multiply_panels<Floats, int32_t>(units, weight.panels, weight.out, Int8Kernel<Floats>{to});
  }
  if (instruction_set() == InstructionSet::avx2) {
    using Floats = FloatVector<8>;
    return multiply_panels<Floats, int32_t>(units, weight.panels, weight.out, Int8Kernel<Floats>{to});
  }
#endif
  TORCH_CHECK(false, "int8 panels on a processor without AVX2: ", x.sizes(), rows.size(), weight.out);
}

}  // namespace transformer::cpu
