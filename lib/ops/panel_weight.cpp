#include "ops/panel_weight.h"

#include "platform/cpu_features.h"
#include "ops/fused.h"
#include "ops/panels.h"

namespace transformer {
namespace {

struct FloatKernel {
  const float* bias;

  template <int kRows>
  TRANSFORMER_AVX512 void multiply(const PanelProduct<float>& product) const {
    const float *x = product.x, *panel = product.panel, *ahead = product.ahead;
    Floats sums[kRows][kPanelVectors], weights[kPanelVectors];
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kPanelVectors; ++v) load(sums[r][v], bias + product.column + v * kLanes);
    }
#pragma GCC unroll 2
    for (int64_t k = 0; k < product.depth; ++k, x += kRows, panel += kPanel, ahead += product.step) {
      fetch<kRows>(ahead);
      for (int v = 0; v < kPanelVectors; ++v) load(weights[v], panel + v * kLanes);
      for (int r = 0; r < kRows; ++r) {
        for (int v = 0; v < kPanelVectors; ++v) sums[r][v] += weights[v] * x[r];
      }
    }
    for (int r = 0; r < kRows; ++r) store_row(product, r, sums[r]);
  }
};

}  // namespace

PanelWeight::PanelWeight(const torch::Tensor& weight, const torch::Tensor& bias)
    : panels_(torch::zeros({num_panels(weight.size(0)), weight.size(1), kPanel})),
      bias_(torch::zeros({panels_.size(0) * kPanel})),
      out_(weight.size(0)) {
  for (int64_t i = 0; i < panels_.size(0); ++i) {
    const int64_t columns = std::min(kPanel, out_ - i * kPanel);
    panels_[i].narrow(1, 0, columns).copy_(weight.narrow(0, i * kPanel, columns).t());
  }
  if (bias.defined()) bias_.narrow(0, 0, out_).copy_(bias);
}

torch::Tensor PanelWeight::multiply(const torch::Tensor& x) const {
  return multiply_panels<float>(x.contiguous(), panels_, out_, FloatKernel{bias_.const_data_ptr<float>()});
}

torch::Tensor PanelWeight::rows(const torch::Tensor& numbers) const {
  const int64_t width = panels_.size(1);
  auto found = torch::empty({numbers.size(0), width});
  const auto* number = numbers.const_data_ptr<int64_t>();
  const auto* panels = panels_.const_data_ptr<float>();
  auto* to = found.mutable_data_ptr<float>();
  for (int64_t i = 0; i < numbers.size(0); ++i, to += width) {
    const float* from = panels + number[i] / kPanel * width * kPanel + number[i] % kPanel;
    for (int64_t c = 0; c < width; ++c) to[c] = from[c * kPanel];
  }
  return found;
}

bool has_panel_kernel(const torch::Tensor& weight) {
  return uses_fused_kernels() && weight.device().is_cpu() && has_avx512();
}

}  // namespace transformer
