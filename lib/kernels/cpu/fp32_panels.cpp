#include "kernels/cpu/fp32_panels.h"

#include "kernels/cpu/panels.h"

namespace transformer::cpu {
namespace {

template <class Floats, int kRows>
[[gnu::always_inline]] inline void multiply_block(const PanelProduct<float>& product, const float* bias) {
  const float *x = product.x, *panel = product.panel, *ahead = product.ahead;
  Floats sums[kRows][kPanelVectors], weights[kPanelVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kPanelVectors; ++v) load(sums[r][v], bias + product.column + v * kLanes<Floats>);
  }
#pragma GCC unroll 2
  for (int64_t k = 0; k < product.depth; ++k, x += kRows, panel += kPanel<Floats>, ahead += product.step) {
    prefetch<Floats, kRows>(ahead);
    for (int v = 0; v < kPanelVectors; ++v) load(weights[v], panel + v * kLanes<Floats>);
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kPanelVectors; ++v) sums[r][v] += weights[v] * x[r];
    }
  }
  for (int r = 0; r < kRows; ++r) store_row(product, r, sums[r]);
}

template <class Vector>
struct FloatKernel {
  const float* bias;

  template <int kRows>
  void multiply(const PanelProduct<float>& product) const {
    run_with<Vector>(TRANSFORMER_BODY(multiply_block<Floats, kRows>(product, bias)));
  }
};

}  // namespace

torch::Tensor pack_fp32_panels(const torch::Tensor& weight) {
  const int64_t out = weight.size(0);
  auto panels = torch::zeros({num_panels(out), weight.size(1), panel_width()});
  for (int64_t i = 0, first = 0; first < out; ++i, first += panel_width()) {
    const int64_t columns = std::min(panel_width(), out - first);
    panels[i].narrow(1, 0, columns).copy_(weight.narrow(0, first, columns).t());
  }
  return panels;
}

torch::Tensor multiply_fp32_panels(const torch::Tensor& x, const torch::Tensor& panels, const torch::Tensor& bias,
                                   int64_t out) {
  const auto rows = x.contiguous();
  const auto* b = bias.const_data_ptr<float>();
  return TRANSFORMER_SIMD(return (multiply_panels<Floats, float>(rows, panels, out, FloatKernel<Floats>{b})));
}

torch::Tensor rows_of_fp32_panels(const torch::Tensor& panels, const torch::Tensor& indices) {
  const int64_t width = panels.size(1), panel_rows = panels.size(2);
  auto rows = torch::empty({indices.size(0), width});
  const auto* index = indices.const_data_ptr<int64_t>();
  const auto* panel = panels.const_data_ptr<float>();
  auto* to = rows.mutable_data_ptr<float>();
  for (int64_t i = 0; i < indices.size(0); ++i, to += width) {
    const float* from = panel + index[i] / panel_rows * width * panel_rows + index[i] % panel_rows;
    for (int64_t c = 0; c < width; ++c) to[c] = from[c * panel_rows];
  }
  return rows;
}

}  // namespace transformer::cpu
