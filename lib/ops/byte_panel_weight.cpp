#include "ops/byte_panel_weight.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <limits>

#include "base/processor.h"
#include "ops/fused.h"
#include "ops/panels.h"
#include "ops/quantization.h"

namespace transformer {
namespace {

constexpr int64_t kUnit = 4;  // numbers of 8 bits

/// Of a row, which is quantized in 7 bits: two products of 7 by 8 bits fit the 16 bits in which they are added.
constexpr int32_t kSteps = 127;

/// Four products are added in 16 bits where no row can exceed them, in two units of all a panel's columns.
constexpr int64_t kTwoUnits = 2;
constexpr int32_t kMostInSum = std::numeric_limits<int16_t>::max() / kSteps;

/// whole [panels * kPanel, depth * kUnit] in int8. Returns [panels, depth / 2]: whether two units' products, number by
/// number, are in sum not above what 16 bits hold, and not below it either.
torch::Tensor two_units_fit(const torch::Tensor& whole) {
  const auto numbers = whole.view({-1, kPanel, whole.size(1) / (kTwoUnits * kUnit), kTwoUnits, kUnit / 2, 2});
  const auto most = [&](const torch::Tensor& x) { return x.sum({3, 5}, /*keepdim=*/false, torch::kInt).amax({1, 3}); };
  const auto above = most(numbers.clamp_min(0)), below = most(numbers.clamp_max(0).neg());
  return torch::maximum(above, below).le(kMostInSum).to(torch::kByte);
}

/// The ranges of the rows and the scales and sums of the columns make the product of the whole numbers that of the
/// matrices.
struct ByteKernel {
  const RowRange* row_range;
  const int32_t* column_sum;
  const float *column_scale, *bias;
  const uint8_t* two_units_fit;  // of each panel, one behind the other

  template <int kRows>
  using Sums = Integers[kRows][kPanelVectors];

  /// Products in pairs: of a row's unit and kLanes columns'.
  TRANSFORMER_AVX512 [[gnu::always_inline]] static inline __m512i pairs(__m512i unit, const int32_t* columns) {
    return _mm512_maddubs_epi16(unit, _mm512_loadu_si512(columns));
  }

  TRANSFORMER_AVX512 [[gnu::always_inline]] static inline void add(Integers& sums, __m512i pairs) {
    sums += reinterpret_cast<Integers>(_mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
  }

  template <int kRows>
  TRANSFORMER_AVX512 [[gnu::always_inline]] static inline void add_unit(Sums<kRows>& sums, const int32_t* x,
                                                                        const int32_t* panel) {
    for (int r = 0; r < kRows; ++r) {
      const __m512i unit = _mm512_set1_epi32(x[r]);
      for (int v = 0; v < kPanelVectors; ++v) add(sums[r][v], pairs(unit, panel + v * kLanes));
    }
  }

  template <int kRows>
  TRANSFORMER_AVX512 [[gnu::always_inline]] static inline void add_two_units(Sums<kRows>& sums, const int32_t* x,
                                                                             const int32_t* panel) {
    for (int r = 0; r < kRows; ++r) {
      const __m512i first = _mm512_set1_epi32(x[r]), second = _mm512_set1_epi32(x[kRows + r]);
      for (int v = 0; v < kPanelVectors; ++v) {
        const int32_t* columns = panel + v * kLanes;
        add(sums[r][v], _mm512_add_epi16(pairs(first, columns), pairs(second, columns + kPanel)));
      }
    }
  }

  template <int kRows>
  TRANSFORMER_AVX512 void multiply(const PanelProduct<int32_t>& product) const {
    const int32_t *x = product.x, *panel = product.panel, *ahead = product.ahead;
    Sums<kRows> sums;
    std::memcpy(sums[0], column_sum + product.column, sizeof(sums[0]));
    for (int r = kRows - 1; r >= 0; --r) {
      for (int v = 0; v < kPanelVectors; ++v) sums[r][v] = sums[0][v] * -row_range[product.row + r].zero;
    }
    const int64_t two_units = product.depth / kTwoUnits;
    const uint8_t* fit = two_units_fit + product.column / kPanel * two_units;
    for (int64_t k = 0; k < product.depth;) {  // a loop for either, in which the sums stay in registers
      const uint8_t fits = fit[k / kTwoUnits];
      int64_t end = k;
      while (end < product.depth && fit[end / kTwoUnits] == fits) end += kTwoUnits;
      if (fits != 0) {
        for (; k < end; k += kTwoUnits, x += kTwoUnits * kRows, panel += kTwoUnits * kPanel) {
          for (int unit = 0; unit < kTwoUnits; ++unit, ahead += product.step) fetch<kRows>(ahead);
          add_two_units<kRows>(sums, x, panel);
        }
      } else {
        for (; k < end; ++k, x += kRows, panel += kPanel, ahead += product.step) {
          fetch<kRows>(ahead);
          add_unit<kRows>(sums, x, panel);
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
        depth_((weight.size(1) + kTwoUnits * kUnit - 1) / (kTwoUnits * kUnit) * kTwoUnits),
        panels_(torch::empty({num_panels(out_), depth_, kPanel}, torch::kInt)),
        fit_(torch::empty({panels_.size(0), depth_ / kTwoUnits}, torch::kByte)),
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
      fit_.narrow(0, first / kPanel, panels).copy_(two_units_fit(padded));
      sums_.narrow(0, first, panels * kPanel).copy_(padded.sum(1, /*keepdim=*/false, torch::kInt));
      scales_.narrow(0, first, rows).copy_(scale.reciprocal());
    }
    if (bias.defined()) bias_.narrow(0, 0, out_).copy_(bias);
  }

  torch::Tensor multiply(const torch::Tensor& x) const override {
    const auto whole = torch::empty({x.size(0), depth_ * kUnit}, torch::kByte);
    const auto ranges = quantize_rows(x, kSteps, RowZero::of_each_row, whole);
    return multiply_panels<int32_t>(
        whole.view(torch::kInt), panels_, out_,
        ByteKernel{ranges.data(), sums_.const_data_ptr<int32_t>(), scales_.const_data_ptr<float>(),
                   bias_.const_data_ptr<float>(), fit_.const_data_ptr<uint8_t>()});
  }

 private:
  int64_t out_, depth_;                 // depth in units
  torch::Tensor panels_;                // [panels, depth, kPanel] in int32, each of which is a unit
  torch::Tensor fit_;                   // [panels, depth / 2]
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
