#pragma once

#include <torch/types.h>

namespace transformer {

/// A matrix in int8 with symmetric quantization per row: W[i] is about levels[i] / scale[i].
struct QuantizedMatrix {
  torch::Tensor levels;  // [rows, columns] in int8, from -127 to 127
  torch::Tensor scale;   // [rows]
};

/// Quantizes W [rows, columns] in fp32. The largest absolute value of a row becomes 127, or with `max_scale` [rows] the
/// largest integer for which the row's scale does not exceed it. A row of zeros has the scale 1.
QuantizedMatrix quantize(const torch::Tensor& W, const torch::Tensor& max_scale = {});

}  // namespace transformer
