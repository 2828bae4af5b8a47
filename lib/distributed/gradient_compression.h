#pragma once

#include <array>

#include "base/fields.h"

namespace transformer {

/// How gradients travel between ranks: as they are, or rounded to bf16, which halves what is sent and loses what bf16
/// cannot hold.
enum class GradientCompression { none, bf16 };

template <>
struct EnumNames<GradientCompression> {
  static constexpr std::array names = {"none", "bf16"};
};

}  // namespace transformer
