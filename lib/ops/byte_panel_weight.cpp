#include "ops/byte_panel_weight.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "base/processor.h"
#include "ops/fused.h"
#include "ops/panels.h"
#include "ops/quantization.h"

namespace transformer {
namespace {

constexpr int64_t kUnit = 4;  // numbers of 8 bits

/// Of a row, which is quantized in 7 bits: two products of 7 by 8 bits fit the 16 bits in which they are added.
constexpr int32_t kSteps = 127;

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
    __m512i weights[kPanelVectors];
    std::memcpy(sums[0], column_sum + product.column, sizeof(sums[0]));
    for (int r = kRows - 1; r >= 0; --r) {
      for (int v = 0; v < kPanelVectors; ++v) sums[r][v] = sums[0][v] * -row_range[product.row + r].zero;
    }
    for (int64_t k = 0; k < product.depth; ++k, x += kRows, panel += kPanel, ahead += product.step) {
      fetch<kRows>(ahead);
      for (int v = 0; v < kPanelVectors; ++v) weights[v] = _mm512_loadu_si512(panel + v * kLanes);
      for (int r = 0; r < kRows; ++r) {
        const __m512i unit = _mm512_set1_epi32(x[r]);
        for (int v = 0; v < kPanelVectors; ++v) {
          const __m512i pairs = _mm512_maddubs_epi16(unit, weights[v]);
          sums[r][v] += reinterpret_cast<Integers>(_mm512_madd_epi16(pairs, ones));
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
        depth_((weight.size(1) + kUnit - 1) / kUnit),
        panels_(torch::empty({num_panels(out_), depth_, kPanel}, torch::kInt)),
        sums_(torch::empty({panels_.size(0) * kPanel}, torch::kInt)),
        scales_(torch::zeros({panels_.size(0) * kPanel})),
        bias_(torch::zeros_like(scales_)) {
    static constexpr int64_t kRows = 64 * kPanel;  // at once, for the sake of memory
    for (int64_t first = 0; first < out_; first += kRows) {
      const int64_t rows = std::min(kRows, out_ - first), panels = num_panels(rows);
      const auto [whole, scale] = quantize(weight.narrow(0, first, rows));
      auto padded = torch::zeros({panels * kPanel, depth_ * kUnit}, torch::kChar);
      padded.narrow(0, 0, rows).narrow(1, 0, weight.size(1)).copy_(whole);
      const auto units = padded.view(torch::kInt).view({panels, kPanel, depth_});
      panels_.narrow(0, first / kPanel, panels).copy_(units.transpose(1, 2));
      sums_.narrow(0, first, panels * kPanel).copy_(padded.sum(1, /*keepdim=*/false, torch::kInt));
      scales_.narrow(0, first, rows).copy_(scale.reciprocal());
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
