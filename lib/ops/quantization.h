#pragma once

#include <torch/torch.h>

#include <vector>

namespace transformer {

/// A matrix in whole numbers from -127 to 127, each row with a scale of its own: W[i] is about whole[i] / scale[i].
struct QuantizedMatrix {
  torch::Tensor whole;  // [rows, columns] in int8
  torch::Tensor scale;  // [rows]
};

/// W [rows, columns] in fp32. A row's largest number becomes 127, or where `most` [rows] is given the largest whole
/// number for which the scale is no more than that. A row of zeros has the scale 1.
QuantizedMatrix quantize(const torch::Tensor& W, const torch::Tensor& most = {});

/// How whole numbers from 0 on stand for a row's: x is about scale * (whole - zero).
struct RowRange {
  int32_t zero;
  float scale;
};

enum class RowZero {
  in_the_middle,  // the same for all rows: as far from the smallest number as from the largest
  of_each_row,    // the range goes from the row's smallest number to its largest, 0 among them
};

/// The whole numbers from 0 to `steps` nearest to x [rows, width] in fp32, into `whole` [at least rows, at least width]
/// in uint8; behind a row's end it has 0. Returns the rows' ranges.
std::vector<RowRange> quantize_rows(const torch::Tensor& x, int32_t steps, RowZero zero, const torch::Tensor& whole);

}  // namespace transformer
