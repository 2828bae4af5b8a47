#pragma once

#include <cstdint>

#include "kernels/cpu/panels.h"
#include "kernels/cpu/quantize_rows.h"

namespace transformer::cpu {

/// What turns the product of quantized matrices x and W^T into fp32: zero point and scale of each row of x; of each row
/// of W, a column of the product, the sum of its levels, its scale and its bias.
struct Dequantization {
  const RowQuantization* rows;
  const int32_t* column_sum;
  const float *column_scale, *bias;
};

/// The same for the columns of one panel.
template <class Floats>
struct PanelDequantization {
  typename SimdOf<Floats>::Integers sums[kPanelVectors];
  Floats scales[kPanelVectors], bias[kPanelVectors];

  [[gnu::always_inline]] PanelDequantization(const Dequantization& to, int64_t column) {
    std::memcpy(sums, to.column_sum + column, sizeof(sums));
    for (int v = 0; v < kPanelVectors; ++v) {
      load(scales[v], to.column_scale + column + v * kLanes<Floats>);
      load(bias[v], to.bias + column + v * kLanes<Floats>);
    }
  }

  /// Stores a row of the product in fp32; `products` is the same row of the product of the levels.
  [[gnu::always_inline]] void store(const PanelProduct<int32_t>& product, int row, const RowQuantization& quantization,
                                    const typename SimdOf<Floats>::Integers (&products)[kPanelVectors]) const {
    Floats scaled[kPanelVectors];
    for (int v = 0; v < kPanelVectors; ++v) {
      const auto whole = products[v] - sums[v] * quantization.zero_point;
      scaled[v] = __builtin_convertvector(whole, Floats) * scales[v] * quantization.scale + bias[v];
    }
    store_row(product, row, scaled);
  }
};

}  // namespace transformer::cpu
