#pragma once

#include <torch/csrc/autograd/custom_function.h>

#include "kernels/dropout_mask.h"

namespace transformer {

// Keep a dropout mask from the forward to the backward pass of an autograd function.

inline void save_mask(torch::autograd::AutogradContext* context, const DropoutMask& mask) {
  auto& data = context->saved_data;
  data["p"] = mask.p;
  if (mask.p == 0) return;
  data["call"] = static_cast<int64_t>(mask.call);
  data["keys"] = mask.keys;
  data["sequence_ids"] = mask.sequence_ids;
  data["position_ids"] = mask.position_ids;
}

inline DropoutMask saved_mask(torch::autograd::AutogradContext* context) {
  auto& data = context->saved_data;
  const double p = data["p"].toDouble();
  if (p == 0) return {};
  return {p, static_cast<uint64_t>(data["call"].toInt()), data["keys"].toTensor(), data["sequence_ids"].toTensor(),
          data["position_ids"].toTensor()};
}

}  // namespace transformer
