#pragma once

namespace transformer {

/// Whether MKL, which multiplies LibTorch's fp32 matrices, uses its AVX-512 kernels on this processor. MKL itself does
/// so on Intel processors only; a program linked with this file makes it do so on every processor with AVX-512.
bool mkl_uses_avx512();

}  // namespace transformer
