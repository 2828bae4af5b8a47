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

/// A product's rows, in blocks of nearly the same size.
struct Blocks {
  int64_t rows, count;

  explicit Blocks(int64_t num_rows) : rows(num_rows), count((num_rows + kMostRows - 1) / kMostRows) {}
  int64_t first_row(int64_t block) const { return rows * block / count; }
};

/// x [rows, depth] in the order in which it is read: block after block, each [depth, its rows].
torch::Tensor in_blocks(const torch::Tensor& x, const Blocks& blocks) {
  const int64_t depth = x.size(1);
  auto ordered = torch::empty_like(x);
  const auto* from = x.const_data_ptr<float>();
  auto* to = ordered.mutable_data_ptr<float>();
  for (int64_t block = 0; block < blocks.count; ++block) {
    const int64_t first = blocks.first_row(block), rows = blocks.first_row(block + 1) - first;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t k = 0; k < depth; ++k) to[first * depth + k * rows + row] = from[(first + row) * depth + k];
    }
  }
  return ordered;
}

/// A panel of the matrix [depth, kPanel], its part of the bias, and what will be read after it.
struct Panel {
  const float *first, *bias, *next;
  int64_t depth;
};

/// A panel's columns of the product.
struct Output {
  float* first;
  int64_t stride, columns;
};

/// y = x W^T + b for a block of `kRows` rows and one panel; for each place, `ahead` is fetched and moves by `step`.
template <int kRows>
[[gnu::always_inline]] inline void multiply_block(const float* x, const Panel& panel, const float* ahead, int64_t step,
                                                  const Output& y) {
  Floats sums[kRows][kVectors], weights[kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) load(sums[r][v], panel.bias + v * kLanes);
  }
  const float* weight = panel.first;
#pragma GCC unroll 2
  for (int64_t k = 0; k < panel.depth; ++k, x += kRows, weight += kPanel, ahead += step) {
    __builtin_prefetch(ahead);
    for (int v = 0; v < kVectors; ++v) load(weights[v], weight + v * kLanes);
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) sums[r][v] += weights[v] * x[r];
    }
  }
  for (int r = 0; r < kRows; ++r) {
    if (y.columns == kPanel) {
      for (int v = 0; v < kVectors; ++v) store(y.first + r * y.stride + v * kLanes, sums[r][v]);
    } else {
      std::memcpy(y.first + r * y.stride, sums[r], static_cast<size_t>(y.columns) * sizeof(float));
    }
  }
}

/// multiply_block for a number of rows that is known only now, `kMost` at most.
template <int kMost>
[[gnu::always_inline]] inline void multiply_rows(int64_t rows, const float* x, const Panel& panel, const float* ahead,
                                                 int64_t step, const Output& y) {
  if (rows == kMost) {
    multiply_block<kMost>(x, panel, ahead, step, y);
  } else if constexpr (kMost > 1) {
    multiply_rows<kMost - 1>(rows, x, panel, ahead, step, y);
  }
}

/// All rows of x, which is in blocks. Each block fetches its part of the next panel, so that none is waited for.
TRANSFORMER_FOR_EACH_PROCESSOR void multiply_panel(const float* x, const Blocks& blocks, const Panel& panel,
                                                   const Output& y) {
  for (int64_t block = 0; block < blocks.count; ++block) {
    const int64_t row = blocks.first_row(block), step = std::max<int64_t>(1, kPanel / blocks.count);
    const float *in = x + row * panel.depth, *ahead = panel.next + panel.depth * kPanel * block / blocks.count;
    const Output out{y.first + row * y.stride, y.stride, y.columns};
    multiply_rows<kMostRows>(blocks.first_row(block + 1) - row, in, panel, ahead, step, out);
  }
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
  const int64_t panels = panels_.size(0), depth = panels_.size(1);
  const Blocks blocks(x_in.size(0));
  const auto x = in_blocks(x_in.contiguous(), blocks);
  auto y = torch::empty({blocks.rows, out_});
  const auto *input = x.const_data_ptr<float>(), *weight = panels_.const_data_ptr<float>(),
             *bias = bias_.const_data_ptr<float>();
  auto* output = y.mutable_data_ptr<float>();
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, blocks.rows * depth * kPanel));
  at::parallel_for(0, panels, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t column = i * kPanel, next = std::min(i + 1, end - 1) * kPanel;
      multiply_panel(input, blocks, {weight + column * depth, bias + column, weight + next * depth, depth},
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
