#pragma once

#include <torch/types.h>

#include "training/checkpoint.h"

namespace transformer {

/// A checkpoint of a model whose only parameter is `weight`.
inline Checkpoint small_checkpoint(int64_t step, const torch::Tensor& weight) {
  Checkpoint checkpoint{
      .model = {"model:\n", {"vocabulary"}, NamedTensors()}, .optimizer = NamedTensors(), .state = {}};
  checkpoint.model.parameters.insert("weight", weight);
  checkpoint.optimizer.insert("first.weight", torch::zeros({2}));
  checkpoint.state.step = step;
  return checkpoint;
}

}  // namespace transformer
