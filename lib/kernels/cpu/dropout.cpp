#include "kernels/cpu/dropout.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "kernels/cpu/row_mask.h"

namespace transformer::cpu {
namespace {

template <class Floats, class Element>
[[gnu::always_inline]] inline void drop_from_row_of(const Element* in, Element* out, uint32_t width,
                                                    const RowMask& mask) {
  Floats values;
  uint32_t i = 0;
  for (; i + kLanes<Floats> <= width; i += kLanes<Floats>) {
    load(values, in + i);
    mask.apply(values, i);
    store(out + i, values);
  }
  for (; i < width; ++i) {
    values = Floats{} + static_cast<float>(in[i]);
    mask.apply(values, i);
    out[i] = static_cast<Element>(values[0]);
  }
}

template <class Element>
void drop_from_row(const Element* in, Element* out, uint32_t width, const RowMask& mask) {
  TRANSFORMER_SIMD(drop_from_row_of<Floats>(in, out, width, mask));
}

template <class Element>
void drop_from_rows(const torch::Tensor& in, torch::Tensor& out, const RowMasks& masks) {
  static constexpr int64_t kGrain = 1 << 15;  // elements that are worth a thread
  const int64_t width = in.size(1);
  const auto* from = in.const_data_ptr<Element>();
  auto* to = out.mutable_data_ptr<Element>();
  at::parallel_for(0, in.size(0), std::max<int64_t>(1, kGrain / width), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      drop_from_row(from + row * width, to + row * width, static_cast<uint32_t>(width), masks[row]);
    }
  });
}

}  // namespace

torch::Tensor dropout(const torch::Tensor& x, const DropoutMask& mask) {
  torch::Tensor out = torch::empty_like(x);
  const RowMasks masks(mask, x.size(1));
  (x.scalar_type() == torch::kFloat ? drop_from_rows<float> : drop_from_rows<c10::BFloat16>)(x, out, masks);
  return out;
}

void drop_from_row(float* x, int64_t width, const RowMask& mask) {
  drop_from_row(x, x, static_cast<uint32_t>(width), mask);
}

}  // namespace transformer::cpu
