#include "kernels/cpu/small_matrix.h"

namespace transformer::cpu {
namespace {

/// kRows x kVectors vectors of C, whose sums stay in registers.
template <class Floats, int kRows, int kVectors>
[[gnu::always_inline]] inline void multiply_tile(Operand a, const float* b, int64_t b_stride, float* c,
                                                 int64_t c_stride, int64_t depth, bool add) {
  Floats sum[kRows][kVectors] = {};
  if (add) {
    for (int i = 0; i < kRows; ++i) {
      for (int v = 0; v < kVectors; ++v) load(sum[i][v], c + i * c_stride + v * kLanes<Floats>);
    }
  }
  for (int64_t k = 0; k < depth; ++k) {
    for (int v = 0; v < kVectors; ++v) {
      Floats b_vector;
      load(b_vector, b + k * b_stride + v * kLanes<Floats>);
      for (int i = 0; i < kRows; ++i) sum[i][v] += a.at[i * a.row_stride + k * a.column_stride] * b_vector;
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int v = 0; v < kVectors; ++v) store(c + i * c_stride + v * kLanes<Floats>, sum[i][v]);
  }
}

template <class Floats, int kRows>
[[gnu::always_inline]] inline void multiply_rows(Operand a, const float* b, int64_t b_stride, float* c,
                                                 int64_t c_stride, int64_t columns, int64_t depth, bool add) {
  int64_t j = 0;
  for (; j + 2 * kLanes<Floats> <= columns; j += 2 * kLanes<Floats>) {
    multiply_tile<Floats, kRows, 2>(a, b + j, b_stride, c + j, c_stride, depth, add);
  }
  if (j < columns) multiply_tile<Floats, kRows, 1>(a, b + j, b_stride, c + j, c_stride, depth, add);
}

template <class Floats>
[[gnu::always_inline]] inline void multiply_all(Operand a, VectorRows b, VectorRows c, int64_t rows, int64_t columns,
                                                int64_t depth, bool add) {
  static constexpr int kTileRows = kLanes<Floats> == 16 ? 6 : 4;  // AVX-512 has 32 registers, AVX2 has 16
  int64_t i = 0;
  const auto next = [&] { return Operand{a.at + i * a.row_stride, a.row_stride, a.column_stride}; };
  for (; i + kTileRows <= rows; i += kTileRows) {
    multiply_rows<Floats, kTileRows>(next(), b.at, b.row_stride, c.at + i * c.row_stride, c.row_stride, columns, depth,
                                     add);
  }
  for (; i + kTileRows / 2 <= rows; i += kTileRows / 2) {
    multiply_rows<Floats, kTileRows / 2>(next(), b.at, b.row_stride, c.at + i * c.row_stride, c.row_stride, columns,
                                         depth, add);
  }
  for (; i < rows; ++i) {
    multiply_rows<Floats, 1>(next(), b.at, b.row_stride, c.at + i * c.row_stride, c.row_stride, columns, depth, add);
  }
}

template <class Floats, class From, class To>
[[gnu::always_inline]] inline void copy_row_of(const From* from, To* to, int64_t count, float factor) {
  int64_t c = 0;
  for (; c + kLanes<Floats> <= count; c += kLanes<Floats>) {
    Floats values;
    load(values, from + c);
    values *= factor;
    store(to + c, values);
  }
  for (; c < count; ++c) to[c] = static_cast<To>(static_cast<float>(from[c]) * factor);
}

template <class From, class To>
void copy_row_simd(const From* from, To* to, int64_t count, float factor) {
  TRANSFORMER_SIMD(copy_row_of<Floats>(from, to, count, factor));
}

}  // namespace

void multiply(Operand a, VectorRows b, VectorRows c, int64_t rows, int64_t columns, int64_t depth, bool add) {
  TRANSFORMER_SIMD(multiply_all<Floats>(a, b, c, rows, columns, depth, add));
}

void copy_row(const float* from, float* to, int64_t count, float factor) { copy_row_simd(from, to, count, factor); }
void copy_row(const c10::BFloat16* from, float* to, int64_t count, float factor) {
  copy_row_simd(from, to, count, factor);
}
void copy_row(const float* from, c10::BFloat16* to, int64_t count, float factor) {
  copy_row_simd(from, to, count, factor);
}

}  // namespace transformer::cpu
