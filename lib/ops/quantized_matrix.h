#pragma once

#include <torch/torch.h>

namespace transformer {

/// A matrix in whole numbers from -127 to 127, each row with a scale of its own: W[i] is about whole[i] / scale[i].
struct QuantizedMatrix {
  torch::Tensor whole;  // [rows, columns] in int8
  torch::Tensor scale;  // [rows]: 127 / max |W[i]|; 1 for a row of zeros
};

/// W [rows, columns] in fp32.
QuantizedMatrix quantize(const torch::Tensor& W);

}  // namespace transformer
