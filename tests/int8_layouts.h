#pragma once

#include <torch/types.h>

#include <map>
#include <memory>
#include <string>

#include "catch.h"
#include "ops/weight_layouts.h"

namespace transformer {

/// The int8 layouts that this processor supports, by name.
inline std::map<std::string, std::unique_ptr<const PackedWeight>> int8_layouts(const torch::Tensor& weight,
                                                                               const torch::Tensor& bias) {
  std::map<std::string, std::unique_ptr<const PackedWeight>> layouts;
  layouts["panels"] = pack_int8_panel_weight(weight, bias);
  layouts["oneDNN"] = pack_onednn_int8_weight(quantize(weight), bias);
  if (layouts["panels"] == nullptr) WARN("not tested: int8 panels, which need AVX2");
  std::erase_if(layouts, [](const auto& layout) { return layout.second == nullptr; });
  return layouts;
}

}  // namespace transformer
