#include "kernels/cpu/bias_relu.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>

#include "kernels/cpu/simd.h"

namespace transformer::cpu {
namespace {

template <class Floats>
[[gnu::always_inline]] inline void bias_relu_row_of(const float* x, const float* bias, c10::BFloat16* y,
                                                    int64_t width) {
  const int64_t whole = width / kLanes<Floats> * kLanes<Floats>;
  Floats values, addends;
  for (int64_t j = 0; j < whole; j += kLanes<Floats>) {
    load(values, x + j);
    load(addends, bias + j);
    values += addends;
    maximum<Floats>(values, Floats{});
    store(y + j, values);
  }
  for (int64_t j = whole; j < width; ++j) y[j] = std::max(x[j] + bias[j], 0.0F);
}

void bias_relu_row(const float* x, const float* bias, c10::BFloat16* y, int64_t width) {
  TRANSFORMER_SIMD(bias_relu_row_of<Floats>(x, bias, y, width));
}

}  // namespace

at::Tensor bias_relu(const at::Tensor& x, const at::Tensor& bias) {
  static constexpr int64_t kElementsOfTask = 1 << 15;
  const int64_t rows = x.size(0), width = x.size(1);
  auto result = at::empty({rows, width}, x.options().dtype(at::kBFloat16));
  const auto *in = x.const_data_ptr<float>(), *addends = bias.const_data_ptr<float>();
  auto* out = result.mutable_data_ptr<c10::BFloat16>();
  at::parallel_for(0, rows, kElementsOfTask / width + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) bias_relu_row(in + i * width, addends, out + i * width, width);
  });
  return result;
}

}  // namespace transformer::cpu
