#pragma once

#include <cstdint>

namespace transformer {

// Rows in fp32 whose `count` places are whole vectors, of which the first `seen` count and the rest become 0.

/// x becomes its softmax. Returns the log of the sum of e^x.
float softmax(float* x, int64_t seen, int64_t count);

/// x becomes e^(x - shift).
void exponentials(float* x, float shift, int64_t seen, int64_t count);

}  // namespace transformer
