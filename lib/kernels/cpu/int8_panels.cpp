#include "kernels/cpu/int8_panels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/cpu/int8_dequantization.h"
#include "kernels/cpu/panels.h"
#include "kernels/cpu/tiles.h"

namespace transformer::cpu {
namespace {

constexpr int64_t kUnit = 4;           // levels in an element of the panels
constexpr int64_t kUnitsTogether = 2;  // elements of a row whose products are added in int16, four by four
constexpr int32_t kMaxPairLevel = 181;

/// The largest level of activations.
int32_t max_level() { return has_int8_dot_product() ? 255 : kMaxPairLevel; }

/// Over all groups of four numbers of a row of W [depth] whose products the kernel adds together in int16: the largest
/// sum of their positive numbers, or of the absolute values of their negative ones.
[[gnu::always_inline]] inline float max_sum_of_four(const float* w, int64_t depth) {
  float most = 0;
  for (int64_t c = 0; c < depth; c += kUnitsTogether * kUnit) {
    for (int64_t i = c; i < c + kUnit; i += 2) {
      const float first = w[i], second = w[i + 1], third = w[i + kUnit], fourth = w[i + kUnit + 1];
      const float sizes = std::abs(first) + std::abs(second) + std::abs(third) + std::abs(fourth);
      most = std::max(most, sizes + std::abs(first + second + third + fourth));
    }
  }
  return most / 2;
}

/// Quantizes a row of W [depth] symmetrically: the largest absolute value becomes 127 or, with sums in int16, the
/// largest level up to 127 with which no sum of four products exceeds them. Returns the inverse scale, 1 for zeros.
[[gnu::always_inline]] inline float quantize_weights_of(const float* w, int64_t depth, bool has_int16_sums,
                                                        int8_t* levels) {
  static constexpr float kMaxLevel = 127;
  static constexpr float kMaxSum =
      std::numeric_limits<int16_t>::max() / kMaxPairLevel - 4 * 0.5F;  // each of the four may be rounded up
  float largest = 0;
  for (int64_t c = 0; c < depth; ++c) largest = std::max(largest, std::abs(w[c]));
  if (largest <= kMinRange) largest = kMaxLevel;
  float inverse_scale = kMaxLevel / largest;
  if (has_int16_sums) {
    const float max_inverse_scale = kMaxSum / max_sum_of_four(w, depth);
    inverse_scale = std::min(std::floor(max_inverse_scale * largest), kMaxLevel) / largest;
  }
  for (int64_t c = 0; c < depth; ++c) levels[c] = static_cast<int8_t>(std::nearbyint(w[c] * inverse_scale));
  return inverse_scale;
}

float quantize_weights(const std::vector<float>& row, std::vector<int8_t>& levels) {
  const auto depth = std::ssize(row);
  const bool has_int16_sums = !has_int8_dot_product();
  return run_simd(TRANSFORMER_BODY(return quantize_weights_of(row.data(), depth, has_int16_sums, levels.data())));
}

/// Packs a matrix [out, in], of which row(i, values, levels) writes the levels of row i and returns the inverse scale.
/// `values` is memory that it may use. Both are zero beyond `in`.
template <class Row>
Int8Panels pack_rows(int64_t out, int64_t in, const torch::Tensor& bias, const Row& row) {
  const int64_t width = panel_width(), depth = at::round_up(in, kTileUnits * kUnit), num_units = depth / kUnit;
  Int8Panels packed{torch::zeros({num_panels(out), num_units, width}, torch::kInt),
                    torch::zeros({num_panels(out) * width}, torch::kInt), torch::zeros({num_panels(out) * width}),
                    torch::zeros({num_panels(out) * width}), out};
  if (bias.defined()) packed.bias.narrow(0, 0, out).copy_(bias);
  auto* panels = packed.panels.mutable_data_ptr<int32_t>();
  auto* sums = packed.sums.mutable_data_ptr<int32_t>();
  auto* scales = packed.scales.mutable_data_ptr<float>();
  at::parallel_for(0, num_panels(out), 1, [&](int64_t begin, int64_t end) {
    std::vector<float> values(static_cast<size_t>(depth));
    std::vector<int8_t> levels(static_cast<size_t>(depth));
    for (int64_t i = begin * width; i < std::min(out, end * width); ++i) {
      scales[i] = 1 / row(i, values, levels);
      sums[i] = std::accumulate(levels.begin(), levels.end(), 0);
      int32_t* units = panels + i / width * num_units * width + i % width;
      const int8_t* level = levels.data();
      for (int64_t k = 0; k < num_units; ++k) std::memcpy(units + k * width, level + k * kUnit, kUnit);
    }
  });
  return packed;
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
/// Adds to each int32 of `sums` four products of unsigned and signed bytes (VNNI: VPDPBUSD).
template <class Units>
[[gnu::always_inline]] inline void add_products_of_four(Units& sums, const Units& levels, const Units& weights) {
  Units result = sums;  // in assembly `sums` itself would stay in memory
  asm("vpdpbusd %2, %1, %0" : "+v"(result) : "v"(levels), "v"(weights));
  sums = result;
}
/// The same for two units, with sums in int16 on the way.
template <class Units>
[[gnu::always_inline]] inline void add_products_in_pairs(Units& sums, const Units& first_levels,
                                                         const Units& first_weights, const Units& second_levels,
                                                         const Units& second_weights) {
  Units first, second;
  multiply_pairs(first, first_levels, first_weights);
  multiply_pairs(second, second_levels, second_weights);
  add_int16(first, second);
  add_pairs(first, Units{} + 0x00010001);
  sums += first;
}

template <class Floats, int kRows, bool has_dot_product>
[[gnu::always_inline]] inline void multiply_block(const PanelProduct<int32_t>& product, const Dequantization& to) {
  const int32_t *x = product.x, *panel = product.panel, *ahead = product.ahead;
  // Of a single row the sums of odd units are apart, so that enough additions do not wait for each other.
  static constexpr int kChains = has_dot_product && kRows == 1 ? 2 : 1;
  Units<Floats> sums[kChains * kRows][kPanelVectors];
  for (auto& row : sums) {
    for (auto& vector : row) vector = Units<Floats>{};
  }
  for (int64_t k = 0; k < product.depth; k += kUnitsTogether, x += kUnitsTogether * kRows) {
    for (int unit = 0; unit < kUnitsTogether; ++unit, ahead += product.step) prefetch<Floats, kRows>(ahead);
    Units<Floats> weights[kUnitsTogether][kPanelVectors];
    for (int unit = 0; unit < kUnitsTogether; ++unit) {
      for (int v = 0; v < kPanelVectors; ++v) {
        std::memcpy(&weights[unit][v], panel + unit * kPanel<Floats> + v * kLanes<Floats>, sizeof(weights[unit][v]));
      }
    }
    for (int r = 0; r < kRows; ++r) {
      const Units<Floats> first = Units<Floats>{} + x[r], second = Units<Floats>{} + x[kRows + r];
      for (int v = 0; v < kPanelVectors; ++v) {
        if constexpr (has_dot_product) {
          add_products_of_four(sums[r][v], first, weights[0][v]);
          add_products_of_four(sums[r + kChains - 1][v], second, weights[1][v]);
        } else {
          add_products_in_pairs(sums[r][v], first, weights[0][v], second, weights[1][v]);
        }
      }
    }
    panel += kUnitsTogether * kPanel<Floats>;
  }
  for (int v = 0; v < kPanelVectors && kChains == 2; ++v) sums[0][v] += sums[kChains - 1][v];
  const PanelDequantization<Floats> columns(to, product.column);
  for (int r = 0; r < kRows; ++r) columns.store(product, r, to.rows[product.row + r], sums[r]);
}

template <class Vector, bool has_dot_product>
struct Int8Kernel {
  Dequantization to;

  template <int kRows>
  void multiply(const PanelProduct<int32_t>& product) const {
    run_with<Vector>(TRANSFORMER_BODY(multiply_block<Floats, kRows, has_dot_product>(product, to)));
  }
};

#endif

}  // namespace

Int8Panels pack_int8_panels(const torch::Tensor& weight, const torch::Tensor& bias) {
  const int64_t in = weight.size(1);
  const auto matrix = weight.contiguous();
  const auto* w = matrix.const_data_ptr<float>();
  return pack_rows(weight.size(0), in, bias, [&](int64_t i, std::vector<float>& values, std::vector<int8_t>& levels) {
    std::copy_n(w + i * in, in, values.begin());
    return quantize_weights(values, levels);
  });
}

Int8Panels pack_int8_panels(const torch::Tensor& levels, const torch::Tensor& inverse_scales,
                            const torch::Tensor& bias) {
  const int64_t in = levels.size(1);
  const auto matrix = levels.contiguous();
  const auto* from = matrix.const_data_ptr<int8_t>();
  const auto* inverse_scale = inverse_scales.const_data_ptr<float>();
  return pack_rows(levels.size(0), in, bias, [&](int64_t i, std::vector<float>& values, std::vector<int8_t>& to) {
    const int8_t* row = from + i * in;
    if (has_int8_dot_product()) {
      std::copy_n(row, in, to.begin());
      return inverse_scale[i];
    }
    std::transform(row, row + in, values.begin(), [&](int8_t level) { return level / inverse_scale[i]; });
    return quantize_weights(values, to);
  });
}

torch::Tensor multiply_int8_panels(const torch::Tensor& x, const Int8Panels& weight) {
#if defined(__x86_64__)
  const int64_t rows = x.size(0), width = weight.panels.size(1) * kUnit;
  const bool in_tiles = can_use_amx();
  const auto levels = torch::empty({in_tiles ? at::round_up(rows, kTileRows) : rows, width}, torch::kByte);
  const auto quantizations = quantize_rows(x, max_level(), QuantizationRange::asymmetric, levels);
  const Dequantization to{quantizations.data(), weight.sums.const_data_ptr<int32_t>(),
                          weight.scales.const_data_ptr<float>(), weight.bias.const_data_ptr<float>()};
  if (in_tiles) return multiply_int8_tiles(levels, rows, weight.panels, weight.out, to);
  const auto units = levels.view(torch::kInt);
  const auto multiply = [&]<class Floats, bool has_dot_product>() {
    return multiply_panels<Floats, int32_t>(units, weight.panels, weight.out, Int8Kernel<Floats, has_dot_product>{to});
  };
  if (has_int8_dot_product()) return multiply.template operator()<FloatVector<16>, true>();
  if (has_avx512()) return multiply.template operator()<FloatVector<16>, false>();
  if (instruction_set() == InstructionSet::avx2) return multiply.template operator()<FloatVector<8>, false>();
#endif
  TORCH_CHECK(false, "int8 panels on a processor without AVX2: ", x.sizes(), weight.out);
}

}  // namespace transformer::cpu
