#include "kernels/cpu/tiles.h"

#if defined(__x86_64__)

#include <ATen/Parallel.h>
#include <immintrin.h>

#include <algorithm>
#include <type_traits>

namespace transformer::cpu {
namespace {

using Floats = FloatVector<16>;
constexpr int64_t kWidth = kPanel<Floats>, kBlockRows = 2 * kTileRows;
static_assert(kWidth == 2 * kTileUnits);

/// What LDTILECFG reads: all eight tiles have 16 rows of 64 bytes.
struct alignas(64) TileConfiguration {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr TileConfiguration kConfiguration;

/// Makes the tiles ready for use in this thread, and gives them back.
class Tiles {
 public:
  [[gnu::target("amx-tile")]] Tiles() { _tile_loadconfig(&kConfiguration); }
  [[gnu::target("amx-tile")]] ~Tiles() { _tile_release(); }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;
};

/// The sums of a block of rows with a panel: int32 of products of bytes, or float of products of bf16.
template <class Sum>
using BlockSums = Sum[kBlockRows][kWidth];

/// Computes the sums of a block of up to 16 rows of x, or 32 with `has_two`, with a panel. Meanwhile the memory that
/// will hold the result is fetched, which takes longer than the product where W has many rows. The tiles 0 to 3 hold
/// sums, 4 and 5 rows of x, and 6 and 7 rows of W.
template <bool has_two, class Sum>
[[gnu::target("avx512f,amx-tile,amx-int8,amx-bf16,prfchw")]] void multiply_block(const PanelProduct<int32_t>& product,
                                                                                 int64_t rows, BlockSums<Sum>& sums) {
  static constexpr bool is_bf16 = std::is_same_v<Sum, float>;
  static constexpr int64_t kPanelBytes = kWidth * sizeof(int32_t);
  const int64_t row_bytes = product.depth * static_cast<int64_t>(sizeof(int32_t));
  const int64_t rows_to_fetch = at::ceil_div(rows * kTileUnits, product.depth);
  const int32_t *x = product.x, *panel = product.panel;
  int64_t row = 0;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int64_t k = 0; k < product.depth; k += kTileUnits, panel += kTileUnits * kWidth) {
    _tile_loadd(4, x + k, row_bytes);
    _tile_loadd(6, panel, kPanelBytes);
    _tile_loadd(7, panel + kTileUnits, kPanelBytes);
    if constexpr (is_bf16) {
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
    } else {
      _tile_dpbusd(0, 4, 6);
      _tile_dpbusd(1, 4, 7);
    }
    if constexpr (has_two) {
      _tile_loadd(5, x + kTileRows * product.depth + k, row_bytes);
      if constexpr (is_bf16) {
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
      } else {
        _tile_dpbusd(2, 5, 6);
        _tile_dpbusd(3, 5, 7);
      }
    }
    for (const int64_t end = std::min(rows, row + rows_to_fetch); row < end; ++row) {
      const float* y = product.y + row * product.stride;
      __builtin_prefetch(y, /*rw=*/1);
      __builtin_prefetch(y + kCacheLine, /*rw=*/1);
    }
  }
  _tile_stored(0, sums[0], kPanelBytes);
  _tile_stored(1, sums[0] + kTileUnits, kPanelBytes);
  if constexpr (has_two) {
    _tile_stored(2, sums[kTileRows], kPanelBytes);
    _tile_stored(3, sums[kTileRows] + kTileUnits, kPanelBytes);
  }
}

struct DequantizedResult {
  using Sum = int32_t;
  Dequantization to;

  [[gnu::target("avx512f,avx512bw,avx512dq")]] void store(const PanelProduct<int32_t>& product, int64_t rows,
                                                          const BlockSums<Sum>& block) const {
    const PanelDequantization<Floats> columns(to, product.column);
    for (int row = 0; row < rows; ++row) {
      SimdOf<Floats>::Integers sums[kPanelVectors];
      std::memcpy(sums, block[row], sizeof(sums));
      columns.store(product, row, to.rows[product.row + row], sums);
    }
  }
};

struct BiasedResult {
  using Sum = float;
  const float* bias;

  [[gnu::target("avx512f,avx512bw,avx512dq")]] void store(const PanelProduct<int32_t>& product, int64_t rows,
                                                          const BlockSums<Sum>& block) const {
    Floats shift[kPanelVectors], sums[kPanelVectors];
    std::memcpy(shift, bias + product.column, sizeof(shift));
    for (int row = 0; row < rows; ++row) {
      std::memcpy(sums, block[row], sizeof(sums));
      for (int v = 0; v < kPanelVectors; ++v) sums[v] += shift[v];
      store_row(product, row, sums);
    }
  }
};

/// x [padded rows, depth] and panels in units.
template <class Result>
torch::Tensor multiply_tiles(const torch::Tensor& x, int64_t rows, const torch::Tensor& panels, int64_t out,
                             const Result& result) {
  static constexpr int64_t kGrain = int64_t{1} << 15;  // units of the product that are worth a thread
  const int64_t depth = panels.size(1), panel_size = depth * kWidth, blocks = at::ceil_div(rows, kBlockRows);
  TORCH_CHECK(x.size(0) >= at::round_up(rows, kTileRows) && x.size(1) == depth && panels.size(2) == kWidth, "x ",
              x.sizes(), ", panels ", panels.sizes());
  auto y = torch::empty({rows, out});
  const auto *first_x = x.const_data_ptr<int32_t>(), *weight = panels.const_data_ptr<int32_t>();
  auto* output = y.mutable_data_ptr<float>();
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, rows * panel_size));
  at::parallel_for(0, panels.size(0), grain, [&](int64_t begin, int64_t end) {
    const Tiles tiles;
    BlockSums<typename Result::Sum> sums;
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t block = 0; block < blocks; ++block) {
        const int64_t first = block * kBlockRows, column = i * kWidth, block_rows = std::min(kBlockRows, rows - first);
        const PanelProduct<int32_t> product{.x = first_x + first * depth,
                                            .panel = weight + i * panel_size,
                                            .depth = depth,
                                            .ahead = nullptr,
                                            .step = 0,
                                            .row = first,
                                            .column = column,
                                            .y = output + first * out + column,
                                            .stride = out,
                                            .columns = std::min(kWidth, out - column)};
        block_rows > kTileRows ? multiply_block<true>(product, block_rows, sums)
                               : multiply_block<false>(product, block_rows, sums);
        result.store(product, block_rows, sums);
      }
    }
  });
  return y;
}

}  // namespace

torch::Tensor multiply_int8_tiles(const torch::Tensor& x, int64_t rows, const torch::Tensor& panels, int64_t out,
                                  const Dequantization& to) {
  return multiply_tiles(x.view(torch::kInt), rows, panels, out, DequantizedResult{to});
}

torch::Tensor multiply_bf16_tiles(const torch::Tensor& x, int64_t rows, const torch::Tensor& panels, int64_t out,
                                  const torch::Tensor& bias) {
  return multiply_tiles(x.view(torch::kInt), rows, panels, out, BiasedResult{bias.const_data_ptr<float>()});
}

}  // namespace transformer::cpu

#else

namespace transformer::cpu {

torch::Tensor multiply_int8_tiles(const torch::Tensor&, int64_t, const torch::Tensor&, int64_t, const Dequantization&) {
  TORCH_CHECK(false, "AMX on a processor other than x86");
}
torch::Tensor multiply_bf16_tiles(const torch::Tensor&, int64_t, const torch::Tensor&, int64_t, const torch::Tensor&) {
  TORCH_CHECK(false, "AMX on a processor other than x86");
}

}  // namespace transformer::cpu

#endif
