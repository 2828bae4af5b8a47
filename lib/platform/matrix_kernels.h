#pragma once

namespace transformer {

/// Whether MKL, LibTorch's library for products of matrices in fp32, takes its AVX-512 kernels here. By itself it does
/// so on Intel's processors alone; linked with this file, on every processor that has AVX-512.
bool has_avx512_products();

}  // namespace transformer
