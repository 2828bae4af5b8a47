#pragma once

namespace transformer {

/// Makes the two caches of compiled kernels for bf16 on a CPU, oneDNN's own and that of LibTorch's interface to it,
/// much smaller than their default of 1,024 kernels. oneDNN compiles a kernel for each size of a matrix, and hardly any
/// two training steps have the same number of tokens, so the caches would hold a gigabyte or more of kernels that are
/// not used again. Call it before the first product of matrices and, because it sets environment variables, before
/// other threads start. Variables that the user has set for these caches keep their values.
void limit_onednn_cache();

}  // namespace transformer
