#include "kernels/cpu/small_matrix.h"

namespace transformer {
namespace {

template <int kRows, int kVectors>
[[gnu::always_inline]] inline void multiply_tile(Operand a, const float* b, int64_t b_row, float* c, int64_t c_row,
                                                 int64_t depth, bool add) {
  Floats sum[kRows][kVectors] = {};
  if (add) {
    for (int i = 0; i < kRows; ++i) {
      for (int v = 0; v < kVectors; ++v) load(sum[i][v], c + i * c_row + v * kLanes);
    }
  }
  for (int64_t k = 0; k < depth; ++k) {
    for (int v = 0; v < kVectors; ++v) {
      Floats b_vector;
      load(b_vector, b + k * b_row + v * kLanes);
      for (int i = 0; i < kRows; ++i) sum[i][v] += a.at[i * a.row + k * a.column] * b_vector;
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int v = 0; v < kVectors; ++v) store(c + i * c_row + v * kLanes, sum[i][v]);
  }
}

template <int kRows>
[[gnu::always_inline]] inline void multiply_rows(Operand a, const float* b, int64_t b_row, float* c, int64_t c_row,
                                                 int64_t columns, int64_t depth, bool add) {
  int64_t j = 0;
  for (; j + 2 * kLanes <= columns; j += 2 * kLanes) {
    multiply_tile<kRows, 2>(a, b + j, b_row, c + j, c_row, depth, add);
  }
  if (j < columns) multiply_tile<kRows, 1>(a, b + j, b_row, c + j, c_row, depth, add);
}

template <class From, class To>
[[gnu::always_inline]] inline void copy_row_of(const From* from, To* to, int64_t count, float factor) {
  int64_t c = 0;
  for (; c + kLanes <= count; c += kLanes) {
    Floats values;
    load(values, from + c);
    values *= factor;
    store(to + c, values);
  }
  for (; c < count; ++c) to[c] = static_cast<To>(static_cast<float>(from[c]) * factor);
}

}  // namespace

TRANSFORMER_TARGET_CLONES void multiply(Operand a, VectorRows b, VectorRows c, int64_t rows, int64_t columns,
                                        int64_t depth, bool add) {
  int64_t i = 0;
  const auto next = [&] { return Operand{a.at + i * a.row, a.row, a.column}; };
  for (; i + 6 <= rows; i += 6) multiply_rows<6>(next(), b.at, b.row, c.at + i * c.row, c.row, columns, depth, add);
  for (; i + 3 <= rows; i += 3) multiply_rows<3>(next(), b.at, b.row, c.at + i * c.row, c.row, columns, depth, add);
  for (; i < rows; ++i) multiply_rows<1>(next(), b.at, b.row, c.at + i * c.row, c.row, columns, depth, add);
}

TRANSFORMER_TARGET_CLONES void copy_row(const float* from, float* to, int64_t count, float factor) {
  copy_row_of(from, to, count, factor);
}
TRANSFORMER_TARGET_CLONES void copy_row(const c10::BFloat16* from, float* to, int64_t count, float factor) {
  copy_row_of(from, to, count, factor);
}
TRANSFORMER_TARGET_CLONES void copy_row(const float* from, c10::BFloat16* to, int64_t count, float factor) {
  copy_row_of(from, to, count, factor);
}

}  // namespace transformer
