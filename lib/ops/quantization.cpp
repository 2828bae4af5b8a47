#include "ops/quantization.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <limits>

#include "ops/vector_math.h"

namespace transformer {
namespace {

/// Where all numbers of a row are nearer to 0, they have no finite scale.
constexpr float kAlmostZero = 255 / std::numeric_limits<float>::max();

TRANSFORMER_FOR_EACH_PROCESSOR RowRange quantize_row(const float* x, int64_t width, int32_t steps, RowZero zero,
                                                     uint8_t* whole) {
  auto [smallest, largest] = extremes_of(x, width);
  if (zero == RowZero::in_the_middle) {
    largest = std::max(largest, -smallest);
    smallest = -largest;
  }
  const float range = std::max(largest - smallest, kAlmostZero), steps_per_one = static_cast<float>(steps) / range;
  const auto zero_step =
      zero == RowZero::in_the_middle ? steps / 2 : static_cast<int32_t>(-smallest * steps_per_one + 0.5F);
  const float to_nearest = static_cast<float>(zero_step) + 0.5F;
  for (int64_t c = 0; c < width; ++c) {
    whole[c] = static_cast<uint8_t>(std::min(static_cast<int32_t>(x[c] * steps_per_one + to_nearest), steps));
  }
  return {zero_step, range / static_cast<float>(steps)};
}

}  // namespace

QuantizedMatrix quantize(const torch::Tensor& W, const torch::Tensor& most) {
  static constexpr float kLargest = 127;
  auto largest = torch::maximum(W.amax(1), -W.amin(1));  // [rows]
  largest = largest.masked_fill(largest <= kAlmostZero, kLargest);
  const auto scale =
      (most.defined() ? (most * largest).floor().clamp_max(kLargest) : torch::tensor(kLargest)) / largest;
  return {(W * scale.unsqueeze(1)).round_().to(torch::kChar), scale};
}

std::vector<RowRange> quantize_rows(const torch::Tensor& x, int32_t steps, RowZero zero, const torch::Tensor& whole) {
  static constexpr int64_t kGrain = 16;  // rows worth a thread
  const auto rows = x.contiguous();
  const int64_t width = x.size(1), whole_width = whole.size(1);
  const auto* from = rows.const_data_ptr<float>();
  auto* to = whole.mutable_data_ptr<uint8_t>();
  std::vector<RowRange> ranges(static_cast<size_t>(x.size(0)));
  at::parallel_for(0, x.size(0), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      uint8_t* first = to + row * whole_width;
      ranges[static_cast<size_t>(row)] = quantize_row(from + row * width, width, steps, zero, first);
      std::fill(first + width, first + whole_width, uint8_t{0});
    }
  });
  return ranges;
}

}  // namespace transformer
