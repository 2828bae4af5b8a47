#pragma once

#include <array>

#include "base/enum_names.h"

namespace transformer {

/// The data type in which ranks exchange gradients: their own, or bf16, which halves the traffic and rounds the
/// gradients.
enum class GradientCompression { none, bf16 };

template <>
struct EnumNames<GradientCompression> {
  static constexpr std::array names = {"none", "bf16"};
};

}  // namespace transformer
