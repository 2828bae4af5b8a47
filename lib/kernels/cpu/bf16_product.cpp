#include "kernels/cpu/bf16_product.h"

#include <dlfcn.h>

namespace transformer::cpu {
namespace {

// MKL's C interface, as its manual declares it; LibTorch has no header for it. A bf16 number is its 16 bits.
enum Layout : int { kRowMajor = 101 };
enum Transpose : int { kAsItIs = 111, kTransposed = 112 };
using Gemm = void(Layout, Transpose, Transpose, int m, int n, int k, float alpha, const uint16_t* a, int lda,
                  const uint16_t* b, int ldb, float beta, float* c, int ldc);

Gemm* gemm() {
  static auto* const function = reinterpret_cast<Gemm*>(dlsym(RTLD_DEFAULT, "cblas_gemm_bf16bf16f32"));
  return function;
}

struct Factor {
  explicit Factor(const at::Tensor& x)
      : data(static_cast<const uint16_t*>(x.const_data_ptr())),
        transpose(x.stride(1) == 1 && x.stride(0) >= x.size(1) ? kAsItIs : kTransposed),
        leading_dimension(static_cast<int>(x.stride(transpose == kAsItIs ? 0 : 1))) {
    TORCH_INTERNAL_ASSERT(x.scalar_type() == at::kBFloat16 && (transpose == kAsItIs || x.stride(0) == 1));
  }

  const uint16_t* data;
  Transpose transpose;
  int leading_dimension;
};

}  // namespace

bool has_bf16_product() { return gemm() != nullptr; }

void bf16_product(const at::Tensor& a, const at::Tensor& b, bool add, const at::Tensor& result) {
  TORCH_INTERNAL_ASSERT(a.size(1) == b.size(0) && result.size(0) == a.size(0) && result.size(1) == b.size(1) &&
                        result.stride(1) == 1);
  const Factor left(a), right(b);
  gemm()(kRowMajor, left.transpose, right.transpose, static_cast<int>(a.size(0)), static_cast<int>(b.size(1)),
         static_cast<int>(a.size(1)), /*alpha=*/1, left.data, left.leading_dimension, right.data,
         right.leading_dimension, /*beta=*/add ? 1.0F : 0.0F, result.mutable_data_ptr<float>(),
         static_cast<int>(result.stride(0)));
}

}  // namespace transformer::cpu
