#pragma once

#include <torch/csrc/autograd/custom_function.h>

#include "kernels/dropout_mask.h"

namespace transformer {

// An autograd function saves what determines its dropout mask in the forward pass, and restores it in the backward
// pass.

inline void save_seeds(torch::autograd::AutogradContext* context, const DropoutSeeds& seeds) {
  auto& data = context->saved_data;
  data["p"] = seeds.p;
  if (seeds.p == 0) return;
  data["call_seed"] = static_cast<int64_t>(seeds.call_seed);
  data["keys"] = seeds.keys;
}

inline DropoutSeeds saved_seeds(torch::autograd::AutogradContext* context) {
  auto& data = context->saved_data;
  const double p = data["p"].toDouble();
  if (p == 0) return {};
  return {p, static_cast<uint64_t>(data["call_seed"].toInt()), data["keys"].toTensor()};
}

inline void save_mask(torch::autograd::AutogradContext* context, const DropoutMask& mask) {
  save_seeds(context, mask);
  if (mask.p == 0) return;
  auto& data = context->saved_data;
  data["sequence_ids"] = mask.sequence_ids;
  data["position_ids"] = mask.position_ids;
}

inline DropoutMask saved_mask(torch::autograd::AutogradContext* context) {
  const DropoutSeeds seeds = saved_seeds(context);
  if (seeds.p == 0) return {};
  auto& data = context->saved_data;
  return {seeds, data["sequence_ids"].toTensor(), data["position_ids"].toTensor()};
}

}  // namespace transformer
