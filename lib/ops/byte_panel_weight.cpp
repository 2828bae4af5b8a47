#include "ops/byte_panel_weight.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "platform/cpu_features.h"
#include "ops/fused.h"
#include "ops/panels.h"
#include "ops/quantization.h"

namespace transformer {
namespace {

constexpr int64_t kUnit = 4;      // numbers of 8 bits
constexpr int64_t kTogether = 2;  // units of a row that are multiplied together: their products are added by fours

/// Of a row that is multiplied. Its products with four numbers of W are added in 16 bits, which hold them where those
/// four come to no more than 32767 / kSteps. That is 181 too: neither side is much coarser than the other.
constexpr int32_t kSteps = 181;

/// The most that the positive numbers, or the negative ones, of a four come to: of all fours of a row of W [depth]
/// whose products the kernel adds together.
TRANSFORMER_FOR_EACH_PROCESSOR float most_of_four(const float* w, int64_t depth) {
  float most = 0;
  for (int64_t c = 0; c < depth; c += kTogether * kUnit) {
    for (int64_t i = c; i < c + kUnit; i += 2) {
      const float first = w[i], second = w[i + 1], third = w[i + kUnit], fourth = w[i + kUnit + 1];
      const float sizes = std::abs(first) + std::abs(second) + std::abs(third) + std::abs(fourth);
      most = std::max(most, sizes + std::abs(first + second + third + fourth));
    }
  }
  return most / 2;
}

/// W [rows, depth]. Returns the scales [rows] up to which four products of W's whole numbers fit.
torch::Tensor scales_that_fit(const torch::Tensor& W) {
  static constexpr float kMost = std::numeric_limits<int16_t>::max() / kSteps - 4 * 0.5F;  // each may be rounded up
  auto scales = torch::empty({W.size(0)});
  for (int64_t row = 0; row < W.size(0); ++row) {
    const float* w = W.const_data_ptr<float>() + row * W.size(1);
    scales.mutable_data_ptr<float>()[row] = kMost / most_of_four(w, W.size(1));
  }
  return scales;
}

/// The ranges of the rows and the scales and sums of the columns make the product of the whole numbers that of the
/// matrices.
struct ByteKernel {
  const RowRange* row_range;
  const int32_t* column_sum;
  const float *column_scale, *bias;

  template <int kRows>
  TRANSFORMER_AVX512 void multiply(const PanelProduct<int32_t>& product) const {
    const int32_t *x = product.x, *panel = product.panel, *ahead = product.ahead;
    const __m512i ones = _mm512_set1_epi16(1);
    Integers sums[kRows][kPanelVectors];
    std::memcpy(sums[0], column_sum + product.column, sizeof(sums[0]));
    for (int r = kRows - 1; r >= 0; --r) {
      for (int v = 0; v < kPanelVectors; ++v) sums[r][v] = sums[0][v] * -row_range[product.row + r].zero;
    }
    for (int64_t k = 0; k < product.depth; k += kTogether, x += kTogether * kRows, panel += kTogether * kPanel) {
      for (int unit = 0; unit < kTogether; ++unit, ahead += product.step) fetch<kRows>(ahead);
      for (int r = 0; r < kRows; ++r) {
        const __m512i first = _mm512_set1_epi32(x[r]), second = _mm512_set1_epi32(x[kRows + r]);
        for (int v = 0; v < kPanelVectors; ++v) {
          const int32_t* columns = panel + v * kLanes;
          const __m512i fours = _mm512_add_epi16(_mm512_maddubs_epi16(first, _mm512_loadu_si512(columns)),
                                                 _mm512_maddubs_epi16(second, _mm512_loadu_si512(columns + kPanel)));
          sums[r][v] += reinterpret_cast<Integers>(_mm512_madd_epi16(fours, ones));
        }
      }
    }
    for (int r = 0; r < kRows; ++r) {
      Floats scaled[kPanelVectors];
      for (int v = 0; v < kPanelVectors; ++v) {
        Floats scale, shift;
        load(scale, column_scale + product.column + v * kLanes);
        load(shift, bias + product.column + v * kLanes);
        scaled[v] = __builtin_convertvector(sums[r][v], Floats) * scale * row_range[product.row + r].scale + shift;
      }
      store_row(product, r, scaled);
    }
  }
};

class BytePanelWeight : public PackedWeight {
 public:
  BytePanelWeight(const torch::Tensor& weight, const torch::Tensor& bias)
      : out_(weight.size(0)),
        depth_((weight.size(1) + kTogether * kUnit - 1) / (kTogether * kUnit) * kTogether),
        panels_(torch::empty({num_panels(out_), depth_, kPanel}, torch::kInt)),
        sums_(torch::empty({panels_.size(0) * kPanel}, torch::kInt)),
        scales_(torch::zeros({panels_.size(0) * kPanel})),
        bias_(torch::zeros_like(scales_)) {
    static constexpr int64_t kRows = 32 * kPanel;  // at once, for the sake of memory
    for (int64_t first = 0; first < out_; first += kRows) {
      const int64_t rows = std::min(kRows, out_ - first), panels = num_panels(rows);
      const auto padded = torch::constant_pad_nd(weight.narrow(0, first, rows),
                                                 {0, depth_ * kUnit - weight.size(1), 0, panels * kPanel - rows});
      const auto [whole, scale] = quantize(padded, scales_that_fit(padded));
      const auto units = whole.view(torch::kInt).view({panels, kPanel, depth_});
      panels_.narrow(0, first / kPanel, panels).copy_(units.transpose(1, 2));
      sums_.narrow(0, first, panels * kPanel).copy_(whole.sum(1, /*keepdim=*/false, torch::kInt));
      scales_.narrow(0, first, panels * kPanel).copy_(scale.reciprocal());
    }
    if (bias.defined()) bias_.narrow(0, 0, out_).copy_(bias);
  }

  torch::Tensor multiply(const torch::Tensor& x) const override {
    const auto whole = torch::empty({x.size(0), depth_ * kUnit}, torch::kByte);
    const auto ranges = quantize_rows(x, kSteps, RowZero::of_each_row, whole);
    return multiply_panels<int32_t>(whole.view(torch::kInt), panels_, out_,
                                    ByteKernel{ranges.data(), sums_.const_data_ptr<int32_t>(),
                                               scales_.const_data_ptr<float>(), bias_.const_data_ptr<float>()});
  }

 private:
  int64_t out_, depth_;                 // depth in units
  torch::Tensor panels_;                // [panels, depth, kPanel] in int32, each of which is a unit
  torch::Tensor sums_, scales_, bias_;  // [panels * kPanel], the sums of whole numbers
};

}  // namespace

std::unique_ptr<const PackedWeight> pack_byte_panels(const torch::Tensor& weight, const torch::Tensor& bias) {
  const bool is_for_it = uses_fused_kernels() && weight.device().is_cpu() && has_avx512() && !has_exact_byte_products();
  return is_for_it ? std::make_unique<BytePanelWeight>(weight, bias) : nullptr;
}

}  // namespace transformer

#else

namespace transformer {

std::unique_ptr<const PackedWeight> pack_byte_panels(const torch::Tensor&, const torch::Tensor&) { return nullptr; }

}  // namespace transformer

#endif
