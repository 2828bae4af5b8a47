#pragma once

#include <torch/types.h>

#include <vector>

namespace transformer {

/// Some elements of several lists of tensors, as flat views: parts[l][i] has those of tensor numbers[i] of list l.
struct TensorParts {
  std::vector<std::vector<torch::Tensor>> parts;
  std::vector<size_t> numbers;
};

/// Divides lists of tensors, whose tensors with the same number have the same size, into parts of at most about a
/// million elements, for threads that each process some of them. The parts follow from the sizes alone. Tensors on a
/// GPU are not divided.
std::vector<TensorParts> divide_tensors(const std::vector<std::vector<torch::Tensor>>& lists);

}  // namespace transformer
