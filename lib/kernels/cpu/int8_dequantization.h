#pragma once

#include <cstdint>

#include "kernels/cpu/panels.h"
#include "kernels/cpu/quantize_rows.h"

namespace transformer::cpu {

/// What turns the integers of a product of quantized matrices into fp32: of the rows of x their zero points and scales,
/// of W's rows, the columns of the product, their scales and the sums of their levels.
struct Dequantization {
  const RowQuantization* rows;
  const int32_t* column_sum;
  const float *column_scale, *bias;
};

/// The part of it for the columns of a panel.
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

  /// Stores a row of the product in fp32, of which `levels` are the sums of products of levels.
  [[gnu::always_inline]] void store(const PanelProduct<int32_t>& product, int row, const RowQuantization& quantization,
                                    const typename SimdOf<Floats>::Integers (&levels)[kPanelVectors]) const {
    Floats scaled[kPanelVectors];
    for (int v = 0; v < kPanelVectors; ++v) {
      const auto whole = levels[v] - sums[v] * quantization.zero_point;
      scaled[v] = __builtin_convertvector(whole, Floats) * scales[v] * quantization.scale + bias[v];
    }
    store_row(product, row, scaled);
  }
};

}  // namespace transformer::cpu
