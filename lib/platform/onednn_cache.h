#pragma once

namespace transformer {

/// Lets oneDNN, which multiplies bf16 matrices on a CPU, keep only a few of the kernels that it compiles for each size
/// of matrices, by default 1,024 of them twice. Hardly any two training steps have the same number of tokens, so that
/// most would be kept in vain, in a gigabyte of memory or more. Call it before the first product of matrices; values
/// of the environment variables that the user has set stay.
void limit_onednn_cache();

}  // namespace transformer
