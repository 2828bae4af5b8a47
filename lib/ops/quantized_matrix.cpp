#include "ops/quantized_matrix.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/processor.h"
#include "ops/vector_math.h"

namespace transformer {
namespace {

constexpr int64_t kGrain = 16;  // rows worth a thread

/// The whole numbers that stand for a row's: up to `largest` on either side of `zero`.
struct ByteRange {
  float largest;
  int64_t zero;
};

ByteRange byte_range() { return has_exact_byte_products() ? ByteRange{127, 128} : ByteRange{63, 64}; }

/// Returns the row's scale.
TRANSFORMER_FOR_EACH_PROCESSOR float quantize_row(const float* x, uint8_t* whole, int64_t width,
                                                  const ByteRange& range) {
  const int64_t in_lanes = width / kLanes * kLanes;
  Floats values, sizes = {};
  for (int64_t c = 0; c < in_lanes; c += kLanes) {
    load(values, x + c);
    keep_larger(sizes, values);
    keep_larger(sizes, -values);
  }
  float largest = largest_of(sizes);
  for (int64_t c = in_lanes; c < width; ++c) largest = std::max(largest, std::abs(x[c]));
  const float inverse = largest > 0 ? range.largest / largest : 0, zero = static_cast<float>(range.zero) + 0.5F;
  for (int64_t c = 0; c < width; ++c) whole[c] = static_cast<uint8_t>(static_cast<int32_t>(x[c] * inverse + zero));
  return largest / range.largest;
}

}  // namespace

QuantizedMatrix quantize(const torch::Tensor& W) {
  static constexpr float kLargest = 127;
  static constexpr float kAlmostZero = kLargest / std::numeric_limits<float>::max();  // such rows have no finite scale
  const auto largest = torch::maximum(W.amax(1), -W.amin(1));                         // [rows]
  const auto scale = kLargest / largest.masked_fill(largest <= kAlmostZero, kLargest);  // [rows]
  return {(W * scale.unsqueeze(1)).round_().to(torch::kChar), scale};
}

QuantizedRows quantize_rows(const torch::Tensor& x_in, int64_t rows, int64_t columns) {
  const auto range = byte_range();
  const auto x = x_in.contiguous();
  const int64_t given = x.size(0), width = x.size(1);
  auto whole = torch::empty({rows, columns}, torch::kByte), scales = torch::empty({given});
  const auto* from = x.const_data_ptr<float>();
  auto* to = whole.mutable_data_ptr<uint8_t>();
  auto* scale = scales.mutable_data_ptr<float>();
  at::parallel_for(0, rows, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      uint8_t* first = to + row * columns;
      if (row < given) scale[row] = quantize_row(from + row * width, first, width, range);
      std::fill(first + (row < given ? width : 0), first + columns, static_cast<uint8_t>(range.zero));
    }
  });
  return {whole, scales};
}

int64_t quantized_zero() { return byte_range().zero; }

}  // namespace transformer
