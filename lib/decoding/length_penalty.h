#pragma once

#include <cstdint>

namespace transformer {

/// §6.1, after Wu et al. 2016: ((5 + length) / 6)^alpha; `length` counts the end symbol.
double length_penalty(int64_t length, double alpha);

}  // namespace transformer
