#include "ops/panel_weight.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "base/processor.h"
#include "ops/fused.h"
#include "ops/vector_math.h"

namespace transformer {
namespace {

constexpr int64_t kVectors = 2, kPanel = kVectors * kLanes;
constexpr int64_t kMostRows = 12;             // whose sums fit the registers
constexpr int64_t kGrain = int64_t{1} << 15;  // multiplications worth a thread

/// The rows that a product reads.
struct Input {
  const float* first;
  int64_t stride, depth;
};

/// A panel's columns of the product.
struct Output {
  float* first;
  int64_t stride, columns;
};

/// y = x W^T + b for `kRows` rows from `row` on and one panel.
template <int kRows>
[[gnu::always_inline]] inline void multiply_rows(const Input& x, int64_t row, const float* panel, const float* bias,
                                                 const Output& y) {
  const float* in = x.first + row * x.stride;
  float* out = y.first + row * y.stride;
  Floats sums[kRows][kVectors], weights[kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) load(sums[r][v], bias + v * kLanes);
  }
  for (int64_t k = 0; k < x.depth; ++k, panel += kPanel) {
    for (int v = 0; v < kVectors; ++v) load(weights[v], panel + v * kLanes);
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) sums[r][v] += weights[v] * in[r * x.stride + k];
    }
  }
  for (int r = 0; r < kRows; ++r) {
    if (y.columns == kPanel) {
      for (int v = 0; v < kVectors; ++v) store(out + r * y.stride + v * kLanes, sums[r][v]);
    } else {
      std::memcpy(out + r * y.stride, sums[r], static_cast<size_t>(y.columns) * sizeof(float));
    }
  }
}

TRANSFORMER_FOR_EACH_PROCESSOR void multiply_panel(const Input& x, int64_t rows, const float* panel, const float* bias,
                                                   const Output& y) {
  int64_t row = 0;
  for (; row + kMostRows <= rows; row += kMostRows) multiply_rows<kMostRows>(x, row, panel, bias, y);
  for (; row + 8 <= rows; row += 8) multiply_rows<8>(x, row, panel, bias, y);
  for (; row + 4 <= rows; row += 4) multiply_rows<4>(x, row, panel, bias, y);
  for (; row < rows; ++row) multiply_rows<1>(x, row, panel, bias, y);
}

/// Rows whose distance is a multiple of 4 KB displace each other in the cache: these lie a little further apart.
torch::Tensor spread_rows(const torch::Tensor& x) {
  static constexpr int64_t kBadStride = 4096 / int64_t{sizeof(float)};
  return x.size(0) >= kMostRows && x.size(1) % kBadStride == 0 ? torch::constant_pad_nd(x, {0, kLanes}) : x;
}

}  // namespace

PanelWeight::PanelWeight(const torch::Tensor& weight, const torch::Tensor& bias) : out_(weight.size(0)) {
  const int64_t panels = (out_ + kPanel - 1) / kPanel;
  panels_ = torch::zeros({panels, weight.size(1), kPanel});
  for (int64_t i = 0; i < panels; ++i) {
    const int64_t columns = std::min(kPanel, out_ - i * kPanel);
    panels_[i].narrow(1, 0, columns).copy_(weight.narrow(0, i * kPanel, columns).t());
  }
  bias_ = torch::zeros({panels * kPanel});
  if (bias.defined()) bias_.narrow(0, 0, out_).copy_(bias);
}

torch::Tensor PanelWeight::multiply(const torch::Tensor& x_in) const {
  const auto x = spread_rows(x_in.contiguous());
  const int64_t rows = x.size(0), panels = panels_.size(0), depth = panels_.size(1);
  auto y = torch::empty({rows, out_});
  const Input input{x.const_data_ptr<float>(), x.stride(0), depth};
  const auto *panel = panels_.const_data_ptr<float>(), *bias = bias_.const_data_ptr<float>();
  auto* output = y.mutable_data_ptr<float>();
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, rows * depth * kPanel));
  at::parallel_for(0, panels, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t column = i * kPanel;
      multiply_panel(input, rows, panel + column * depth, bias + column,
                     {output + column, out_, std::min(kPanel, out_ - column)});
    }
  });
  return y;
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
