#pragma once

#include <ATen/Parallel.h>
#include <ATen/ceil_div.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/cpu/simd.h"

namespace transformer::cpu {

// A matrix W [out, in] is stored in panels [panels, depth, width]: each panel holds `width` rows of W side by side; the
// last one is padded with zeros. A unit has 4 bytes: one number in fp32, or adjacent ones of W's row, two in bf16 or
// four in int8.
inline constexpr int64_t kPanelVectors = 2;

/// The width of panels for these vectors.
template <class Floats>
inline constexpr int64_t kPanel = kPanelVectors* kLanes<Floats>;

/// The rows of x whose sums with a panel fit the registers: AVX-512 has 32, AVX2 has 16.
template <class Floats>
inline constexpr int64_t kMaxRows = kLanes<Floats> == 16 ? 12 : 6;

/// The width of panels for this processor.
inline int64_t panel_width() { return TRANSFORMER_SIMD(return kPanel<Floats>); }
inline int64_t num_panels(int64_t out) { return at::ceil_div(out, panel_width()); }

struct RowBlock {
  int64_t first, rows;
};

/// Splits the rows of x into blocks of nearly the same size, of at most `max_rows`.
inline std::vector<RowBlock> row_blocks(int64_t rows, int64_t max_rows) {
  const int64_t count = at::ceil_div(rows, max_rows);
  std::vector<RowBlock> blocks;
  for (int64_t first = 0, i = 1; i <= count; ++i) {
    const int64_t end = rows * i / count;
    blocks.push_back({first, end - first});
    first = end;
  }
  return blocks;
}

/// The product of a block of x with a panel, which a kernel computes while it prefetches what is read next.
template <class Unit>
struct PanelProduct {
  const Unit *x, *panel;  // [depth, rows of the block] and [depth, kPanel<Floats>]
  int64_t depth;
  const Unit* ahead;    // the address to prefetch for the first index of the depth
  int64_t step;         // from there to the address for the next index
  int64_t row, column;  // of the product's first element
  float* y;             // the product, with rows `stride` apart
  int64_t stride, columns;
};

inline constexpr int64_t kCacheLine = 16;  // units

/// Prefetches a cache line; with few rows, where the kernel waits for memory rather than for its sums, two lines.
template <class Floats, int kRows, class Unit>
[[gnu::always_inline]] inline void prefetch(const Unit* ahead) {
  __builtin_prefetch(ahead);
  if constexpr (kRows <= kMaxRows<Floats> / 2 && kPanel < Floats >> kCacheLine) __builtin_prefetch(ahead + kCacheLine);
}

/// Stores a row of the product; the last panel has fewer columns.
template <class Unit, class Floats>
[[gnu::always_inline]] inline void store_row(const PanelProduct<Unit>& product, int row,
                                             const Floats (&sums)[kPanelVectors]) {
  float* to = product.y + row * product.stride;
  if (product.columns == kPanel<Floats>) {
    for (int v = 0; v < kPanelVectors; ++v) store(to + v * kLanes<Floats>, sums[v]);
  } else {
    std::memcpy(to, sums, static_cast<size_t>(product.columns) * sizeof(float));
  }
}

/// Reorders x [rows, depth] as the kernels read it: block after block, each [depth, rows of the block].
template <class Unit>
torch::Tensor reorder(const torch::Tensor& x, const std::vector<RowBlock>& blocks) {
  const int64_t depth = x.size(1);
  auto ordered = torch::empty_like(x);
  const auto* from = x.const_data_ptr<Unit>();
  auto* to = ordered.mutable_data_ptr<Unit>();
  for (const auto [first, rows] : blocks) {
    for (int64_t row = 0; row < rows; ++row, from += depth) {
      for (int64_t k = 0; k < depth; ++k) to[k * rows + row] = from[k];
    }
    to += rows * depth;
  }
  return ordered;
}

/// x W^T [rows, out] for x [rows, depth]; kernel.multiply<n> computes a block of n rows and one panel of this width. To
/// hide the memory's latency, a block prefetches the memory that it will write, and what will be read: its part of the
/// next panel or, if it is the only block, the following units of this one.
template <class Floats, class Unit, class Kernel>
torch::Tensor multiply_panels(const torch::Tensor& x, const torch::Tensor& panels, int64_t out, const Kernel& kernel) {
  static constexpr int64_t kPanel = cpu::kPanel<Floats>, kMaxRows = cpu::kMaxRows<Floats>;
  static constexpr int64_t kGrain = int64_t{1} << 15;  // units of the product that are worth a thread
  static constexpr int64_t kSoon = 32 * kPanel;
  static constexpr auto kKernels = []<size_t... n>(std::index_sequence<n...>) {
    return std::array{&Kernel::template multiply<static_cast<int>(n) + 1>...};
  }
  (std::make_index_sequence<kMaxRows>());
  const int64_t rows = x.size(0), depth = panels.size(1), panel_size = depth * kPanel;
  TORCH_CHECK(x.size(1) == depth && panels.size(2) == kPanel, "x ", x.sizes(), ", panels ", panels.sizes());
  const auto blocks = row_blocks(rows, kMaxRows);
  const auto ordered = reorder<Unit>(x, blocks);
  auto y = torch::empty({rows, out});
  const auto *first = ordered.template const_data_ptr<Unit>(), *weight = panels.const_data_ptr<Unit>();
  auto* output = y.mutable_data_ptr<float>();
  const bool is_single = blocks.size() == 1;
  const int64_t step = is_single ? kPanel : kPanel / std::max<int64_t>(1, std::ssize(blocks)) + 1;
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, rows * panel_size));
  at::parallel_for(0, panels.size(0), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t column = i * kPanel;
      const auto* ahead = is_single ? weight + i * panel_size + kSoon : weight + std::min(i + 1, end - 1) * panel_size;
      for (const RowBlock& block : blocks) {
        for (int64_t row = block.first; row < block.first + block.rows; ++row) {
          for (int64_t c = 0; c < kPanel; c += kCacheLine)
            __builtin_prefetch(output + row * out + column + c, /*rw=*/1);
        }
        (kernel.*kKernels[static_cast<size_t>(block.rows - 1)])({.x = first + block.first * depth,
                                                                 .panel = weight + i * panel_size,
                                                                 .depth = depth,
                                                                 .ahead = ahead,
                                                                 .step = step,
                                                                 .row = block.first,
                                                                 .column = column,
                                                                 .y = output + block.first * out + column,
                                                                 .stride = out,
                                                                 .columns = std::min(kPanel, out - column)});
        ahead += step * depth;
      }
    }
  });
  return y;
}

}  // namespace transformer::cpu
