#include "kernels/cpu/quantize_rows.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <limits>

#include "kernels/cpu/simd.h"

namespace transformer::cpu {
namespace {

constexpr int64_t kGrain = 16;  // rows that are worth a thread

struct Extremes {
  float smallest, largest;
  bool are_finite;  // whether all values are finite
};

/// The smallest and the largest of 0 and the values of x [width].
template <class Floats>
[[gnu::always_inline]] inline Extremes extremes_of(const float* x, int64_t width) {
  const int64_t in_lanes = width / kLanes<Floats> * kLanes<Floats>;
  Floats values, above = {}, below = {}, zeros = {};
  for (int64_t c = 0; c < in_lanes; c += kLanes<Floats>) {
    load(values, x + c);
    maximum<Floats>(above, values);
    maximum<Floats>(below, -values);
    zeros += values * 0.0F;  // NaN if a value is infinite or NaN
  }
  float zero = horizontal_sum(zeros);
  Extremes extremes{-horizontal_max(below), horizontal_max(above), true};
  for (int64_t c = in_lanes; c < width; ++c) {
    if (x[c] < extremes.smallest) extremes.smallest = x[c];
    if (x[c] > extremes.largest) extremes.largest = x[c];
    zero += x[c] * 0.0F;
  }
  extremes.are_finite = zero == 0;
  return extremes;
}

template <class Floats>
[[gnu::always_inline]] inline RowQuantization quantize_row_of(const float* x, int64_t width, int32_t max_level,
                                                              QuantizationRange range_kind, uint8_t* levels) {
  const bool is_symmetric = range_kind == QuantizationRange::symmetric;
  auto [smallest, largest, are_finite] = extremes_of<Floats>(x, width);
  if (!are_finite) {
    std::fill(levels, levels + width, uint8_t{0});
    return {max_level / 2, std::numeric_limits<float>::quiet_NaN()};
  }
  if (is_symmetric) {
    largest = std::max(largest, -smallest);
    smallest = -largest;
  }
  const float range = std::max(largest - smallest, kMinRange);
  const float inverse_scale = static_cast<float>(max_level) / range;
  const auto zero_point = is_symmetric ? max_level / 2 : static_cast<int32_t>(-smallest * inverse_scale + 0.5F);
  const float to_nearest = static_cast<float>(zero_point) + 0.5F;
  for (int64_t c = 0; c < width; ++c) {
    levels[c] = static_cast<uint8_t>(std::min(static_cast<int32_t>(x[c] * inverse_scale + to_nearest), max_level));
  }
  return {zero_point, range / static_cast<float>(max_level)};
}

[[gnu::always_inline]] inline void scale_row_of(float* y, float scale, const float* bias, int64_t width) {
  if (bias == nullptr) {
    for (int64_t c = 0; c < width; ++c) y[c] *= scale;
  } else {
    for (int64_t c = 0; c < width; ++c) y[c] = y[c] * scale + bias[c];
  }
}

RowQuantization quantize_row(const float* x, int64_t width, int32_t max_level, QuantizationRange range,
                             uint8_t* levels) {
  return TRANSFORMER_SIMD(return quantize_row_of<Floats>(x, width, max_level, range, levels));
}

void scale_row(float* y, float scale, const float* bias, int64_t width) {
  TRANSFORMER_SIMD(scale_row_of(y, scale, bias, width));
}

}  // namespace

std::vector<RowQuantization> quantize_rows(const torch::Tensor& x, int32_t max_level, QuantizationRange range,
                                           const torch::Tensor& levels) {
  const auto rows = x.contiguous();
  const int64_t width = x.size(1), padded_width = levels.size(1);
  TORCH_CHECK(levels.size(0) >= x.size(0) && padded_width >= width, "x ", x.sizes(), ", levels ", levels.sizes());
  const auto* from = rows.const_data_ptr<float>();
  auto* to = levels.mutable_data_ptr<uint8_t>();
  std::vector<RowQuantization> quantizations(static_cast<size_t>(x.size(0)));
  at::parallel_for(0, x.size(0), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      uint8_t* first = to + row * padded_width;
      quantizations[static_cast<size_t>(row)] = quantize_row(from + row * width, width, max_level, range, first);
      std::fill(first + width, first + padded_width, uint8_t{0});
    }
  });
  return quantizations;
}

void scale_rows(const torch::Tensor& y, const std::vector<RowQuantization>& rows, const torch::Tensor& bias) {
  const int64_t out = y.size(1);
  auto* first = y.mutable_data_ptr<float>();
  const auto* b = bias.defined() ? bias.const_data_ptr<float>() : nullptr;
  at::parallel_for(0, y.size(0), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      scale_row(first + row * out, rows[static_cast<size_t>(row)].scale, b, out);
    }
  });
}

}  // namespace transformer::cpu
