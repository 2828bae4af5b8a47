#include "kernels/cpu/fp32_panels.h"

#include "kernels/cpu/panels.h"

namespace transformer::cpu {
namespace {

struct FloatKernel {
  const float* bias;

  template <int kRows>
  TRANSFORMER_AVX512 void multiply(const PanelProduct<float>& product) const {
    const float *x = product.x, *panel = product.panel, *ahead = product.ahead;
    PanelFloats sums[kRows][kPanelVectors], weights[kPanelVectors];
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kPanelVectors; ++v) load(sums[r][v], bias + product.column + v * kPanelLanes);
    }
#pragma GCC unroll 2
    for (int64_t k = 0; k < product.depth; ++k, x += kRows, panel += kPanel, ahead += product.step) {
      prefetch<kRows>(ahead);
      for (int v = 0; v < kPanelVectors; ++v) load(weights[v], panel + v * kPanelLanes);
      for (int r = 0; r < kRows; ++r) {
        for (int v = 0; v < kPanelVectors; ++v) sums[r][v] += weights[v] * x[r];
      }
    }
    for (int r = 0; r < kRows; ++r) store_row(product, r, sums[r]);
  }
};

}  // namespace

torch::Tensor pack_fp32_panels(const torch::Tensor& weight) {
  const int64_t out = weight.size(0);
  auto panels = torch::zeros({num_panels(out), weight.size(1), kPanel});
  for (int64_t i = 0; i < panels.size(0); ++i) {
    const int64_t columns = std::min(kPanel, out - i * kPanel);
    panels[i].narrow(1, 0, columns).copy_(weight.narrow(0, i * kPanel, columns).t());
  }
  return panels;
}

torch::Tensor multiply_fp32_panels(const torch::Tensor& x, const torch::Tensor& panels, const torch::Tensor& bias,
                                   int64_t out) {
  return multiply_panels<float>(x.contiguous(), panels, out, FloatKernel{bias.const_data_ptr<float>()});
}

torch::Tensor rows_of_fp32_panels(const torch::Tensor& panels, const torch::Tensor& indices) {
  const int64_t width = panels.size(1);
  auto rows = torch::empty({indices.size(0), width});
  const auto* index = indices.const_data_ptr<int64_t>();
  const auto* panel = panels.const_data_ptr<float>();
  auto* to = rows.mutable_data_ptr<float>();
  for (int64_t i = 0; i < indices.size(0); ++i, to += width) {
    const float* from = panel + index[i] / kPanel * width * kPanel + index[i] % kPanel;
    for (int64_t c = 0; c < width; ++c) to[c] = from[c * kPanel];
  }
  return rows;
}

}  // namespace transformer::cpu
