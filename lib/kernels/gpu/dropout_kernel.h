#pragma once

#include "kernels/gpu/row_mask.h"

namespace transformer::gpu {

/// y = factor * Dropout(x), a row in each block.
struct Dropout {
  int64_t rows;
  int width;
  float factor;
  Elements x;  // [rows, width]
  RowMasks masks;
  Elements y;  // [rows, width], of the same type
};

template <class Element, int n>
struct DropoutKernel {
  Dropout a;

  template <class Block>
  TRANSFORMER_GPU void operator()(Block& block) const {
    const int64_t row = block.index(), start = row * a.width;
    const auto* x = static_cast<const Element*>(a.x.data) + start;
    auto* y = static_cast<Element*>(a.y.data) + start;
    const RowMask mask = a.masks.row(row, a.width);
    block.each(a.width / n, [&](int vector) {
      const int c = vector * n;
      Floats<n> values = load<n>(x + c);
      mask.apply(values, c);
      store(y + c, generate<n>([&](int i) { return values[i] * a.factor; }));
    });
  }
};

template <class Launcher>
void dropout(const Dropout& a) {
  with_type_of(a.x, [&]<class Element>(Element*) {
    with_vector_size(a.width, [&]<int n>(std::integral_constant<int, n>) {
      Launcher::launch(DropoutKernel<Element, n>{a}, {a.rows, threads_for(a.width, n), 0});
    });
  });
}

}  // namespace transformer::gpu
