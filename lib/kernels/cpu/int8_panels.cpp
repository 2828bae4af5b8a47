#include "kernels/cpu/int8_panels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/panels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace transformer::cpu {
namespace {

/// Over all groups of four numbers of a row of W [depth] whose products the kernel adds together: the largest sum of
/// their positive numbers, or of the absolute values of their negative ones.
[[gnu::always_inline]] inline float max_sum_of_four_of(const float* w, int64_t depth) {
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
TRANSFORMER_SIMD_FUNCTION(float max_sum_of_four(const float* w, int64_t depth), return max_sum_of_four_of(w, depth))

#if defined(__x86_64__)

/// Computes with the quantized levels; the rows' zero points and scales and the columns' sums and scales turn the
/// result into the product of the matrices.
struct Int8Kernel {
  const RowQuantization* rows;
  const int32_t* column_sum;
  const float *column_scale, *bias;

  template <int kRows>
  TRANSFORMER_AVX512 void multiply(const PanelProduct<int32_t>& product) const {
    const int32_t *x = product.x, *panel = product.panel, *ahead = product.ahead;
    const __m512i ones = _mm512_set1_epi16(1);
    Integers sums[kRows][kPanelVectors];
    std::memcpy(sums[0], column_sum + product.column, sizeof(sums[0]));
    for (int r = kRows - 1; r >= 0; --r) {
      for (int v = 0; v < kPanelVectors; ++v) sums[r][v] = sums[0][v] * -rows[product.row + r].zero_point;
    }
    for (int64_t k = 0; k < product.depth;
         k += kInt8UnitsTogether, x += kInt8UnitsTogether * kRows, panel += kInt8UnitsTogether * kPanel) {
      for (int unit = 0; unit < kInt8UnitsTogether; ++unit, ahead += product.step) prefetch<kRows>(ahead);
      for (int r = 0; r < kRows; ++r) {
        const __m512i first = _mm512_set1_epi32(x[r]), second = _mm512_set1_epi32(x[kRows + r]);
        for (int v = 0; v < kPanelVectors; ++v) {
          const int32_t* columns = panel + v * kPanelLanes;
          const __m512i fours = _mm512_add_epi16(_mm512_maddubs_epi16(first, _mm512_loadu_si512(columns)),
                                                 _mm512_maddubs_epi16(second, _mm512_loadu_si512(columns + kPanel)));
          sums[r][v] += reinterpret_cast<Integers>(_mm512_madd_epi16(fours, ones));
        }
      }
    }
    for (int r = 0; r < kRows; ++r) {
      PanelFloats scaled[kPanelVectors];
      for (int v = 0; v < kPanelVectors; ++v) {
        PanelFloats scale, shift;
        load(scale, column_scale + product.column + v * kPanelLanes);
        load(shift, bias + product.column + v * kPanelLanes);
        scaled[v] = __builtin_convertvector(sums[r][v], PanelFloats) * scale * rows[product.row + r].scale + shift;
      }
      store_row(product, r, scaled);
    }
  }
};

#endif

}  // namespace

torch::Tensor max_inverse_scales(const torch::Tensor& W) {
  static constexpr float kMaxSum =
      std::numeric_limits<int16_t>::max() / kInt8MaxLevel - 4 * 0.5F;  // each of the four may be rounded up
  TORCH_CHECK(W.size(1) % (kInt8Unit * kInt8UnitsTogether) == 0, "a matrix of ", W.sizes(), " in units of int8");
  auto inverse_scales = torch::empty({W.size(0)});
  for (int64_t row = 0; row < W.size(0); ++row) {
    const float* w = W.const_data_ptr<float>() + row * W.size(1);
    inverse_scales.mutable_data_ptr<float>()[row] = kMaxSum / max_sum_of_four(w, W.size(1));
  }
  return inverse_scales;
}

torch::Tensor multiply_int8_panels(const torch::Tensor& x, const std::vector<RowQuantization>& rows,
                                   const Int8Panels& weight) {
#if defined(__x86_64__)
  return multiply_panels<int32_t>(
      x.view(torch::kInt), weight.panels, weight.out,
      Int8Kernel{rows.data(), weight.sums.const_data_ptr<int32_t>(), weight.scales.const_data_ptr<float>(),
                 weight.bias.const_data_ptr<float>()});
#else
  TORCH_CHECK(false, "int8 panels on a processor without AVX-512: ", x.sizes(), rows.size(), weight.out);
#endif
}

}  // namespace transformer::cpu
