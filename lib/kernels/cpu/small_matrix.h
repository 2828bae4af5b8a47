#pragma once

#include <torch/types.h>

#include <algorithm>
#include <vector>

#include "kernels/cpu/simd.h"

namespace transformer::cpu {

// Products of matrices that fit the processor's cache, where they are faster than a library's for large ones.

/// A matrix that is read element by element: element (i, k) is at[i * row_stride + k * column_stride].
struct Operand {
  const float* at;
  int64_t row_stride, column_stride;
};

/// A matrix whose rows are whole vectors, `row_stride` numbers apart.
struct VectorRows {
  float* at;
  int64_t row_stride;
};

/// C = A B, or with `add` C += A B: a [rows, depth], b [depth, columns], c [rows, columns]; columns are whole vectors.
void multiply(Operand a, VectorRows b, VectorRows c, int64_t rows, int64_t columns, int64_t depth, bool add);

// `to` becomes `from` times `factor`, converted between fp32 and bf16.
void copy_row(const float* from, float* to, int64_t count, float factor);
void copy_row(const c10::BFloat16* from, float* to, int64_t count, float factor);
void copy_row(const float* from, c10::BFloat16* to, int64_t count, float factor);

/// The rows of one sequence and head in a tensor [positions, h, width].
template <class Element>
struct Rows {
  Element* first;
  int64_t stride, width;

  Element* operator[](int64_t row) const { return first + row * stride; }
};

template <class Element>
Rows<const Element> rows_of(const torch::Tensor& x, int64_t position, int64_t head) {
  return {x.const_data_ptr<Element>() + position * x.stride(0) + head * x.stride(1), x.stride(0), x.size(2)};
}

template <class Element>
Rows<Element> mutable_rows_of(torch::Tensor& x, int64_t position, int64_t head) {
  return {x.mutable_data_ptr<Element>() + position * x.stride(0) + head * x.stride(1), x.stride(0), x.size(2)};
}

/// A matrix in fp32 whose rows are whole vectors. Meant to be thread_local: its memory grows and is reused.
class Matrix {
 public:
  float* resize(int64_t rows, int64_t columns) {
    row_stride_ = round_up_to_lanes(columns);
    const auto size = static_cast<size_t>(rows * row_stride_);
    if (values_.size() < size) values_.resize(size);
    return values_.data();
  }
  void clear(int64_t rows, int64_t columns) {
    resize(rows, columns);
    std::fill_n(values_.data(), rows * row_stride_, 0.0F);
  }
  /// Becomes `count` rows of `from`, starting with row `first`, times `factor`.
  template <class Element>
  void copy(const Rows<const Element>& from, int64_t first, int64_t count, float factor = 1) {
    float* to = resize(count, from.width);
    for (int64_t i = 0; i < count; ++i, to += row_stride_) {
      copy_row(from[first + i], to, from.width, factor);
      std::fill(to + from.width, to + row_stride_, 0.0F);
    }
  }
  /// Becomes the transpose of the first `rows` rows and `columns` columns of `from`.
  void transpose(const Matrix& from, int64_t rows, int64_t columns) {
    float* to = resize(columns, rows);
    for (int64_t c = 0; c < columns; ++c, to += row_stride_) {
      for (int64_t i = 0; i < rows; ++i) to[i] = from.values_[static_cast<size_t>(i * from.row_stride_ + c)];
      std::fill(to + rows, to + row_stride_, 0.0F);
    }
  }
  /// Copies `count` rows, times `factor`, to the rows of `to` from `first` on.
  template <class Element>
  void write(const Rows<Element>& to, int64_t first, int64_t count, float factor = 1) const {
    for (int64_t i = 0; i < count; ++i) copy_row(values_.data() + i * row_stride_, to[first + i], to.width, factor);
  }

  float* data() { return values_.data(); }
  int64_t row_stride() const { return row_stride_; }
  Operand plain() const { return {values_.data(), row_stride_, 1}; }
  Operand transposed() const { return {values_.data(), 1, row_stride_}; }
  VectorRows view() { return {values_.data(), row_stride_}; }
  VectorRows rows_from(int64_t first) { return {values_.data() + first * row_stride_, row_stride_}; }
  VectorRows columns_from(int64_t first) { return {values_.data() + first, row_stride_}; }

 private:
  std::vector<float> values_;
  int64_t row_stride_ = 0;
};

}  // namespace transformer::cpu
