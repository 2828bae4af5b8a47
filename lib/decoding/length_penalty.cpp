#include "decoding/length_penalty.h"

#include <cmath>

namespace transformer {

double length_penalty(int64_t length, double alpha) {
  return std::pow((5.0 + static_cast<double>(length)) / 6.0, alpha);
}

}  // namespace transformer
