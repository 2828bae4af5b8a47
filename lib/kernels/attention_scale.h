#pragma once

#include <cmath>
#include <cstdint>

namespace transformer {

/// 1 / sqrt(d_k), which scales the products Q K^T of Eq. 1 (§3.2.1).
inline double attention_scale(int64_t d_k) { return 1 / std::sqrt(static_cast<double>(d_k)); }

}  // namespace transformer
