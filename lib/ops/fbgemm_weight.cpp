#include "ops/weight_layouts.h"

#if defined(__x86_64__)
#include <ATen/Parallel.h>
#include <fbgemm/Fbgemm.h>

#include "kernels/cpu/quantize_rows.h"
#include "ops/quantization.h"
#include "platform/cpu_features.h"
#endif

namespace transformer {

#if defined(__x86_64__)
namespace {

class FbgemmInt8Weight : public PackedWeight {
 public:
  FbgemmInt8Weight(const torch::Tensor& weight, const torch::Tensor& bias)
      : out_(weight.size(0)), bias_(bias.defined() ? bias.clone() : torch::zeros({out_})) {
    const auto [quantized, inverse_scales] = quantize(weight);
    scales_ = inverse_scales.reciprocal();
    sums_ = quantized.sum(1, /*keepdim=*/false, torch::kInt);
    matrix_ = std::make_unique<fbgemm::PackBMatrix<int8_t>>(
        fbgemm::matrix_op_t::Transpose, static_cast<int32_t>(weight.size(1)), static_cast<int32_t>(out_),
        quantized.const_data_ptr<int8_t>(), static_cast<int32_t>(weight.size(1)));
  }

  torch::Tensor multiply(const torch::Tensor& x) const override {
    // Without VNNI, sums of two products of more than 7 and 8 bits overflow 16 bits.
    const int32_t max_level = has_int8_dot_product() ? 255 : 127;
    const auto levels = torch::empty(x.sizes(), torch::kByte);
    const auto rows = cpu::quantize_rows(x, max_level, cpu::QuantizationRange::asymmetric, levels);
    const auto y = torch::empty({x.size(0), out_}, torch::kInt);
    const int num_threads = at::get_num_threads();
    at::parallel_for(0, num_threads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) multiply_part(levels, y, static_cast<int>(part), num_threads);
    });
    return cpu::dequantize_products(y, rows, sums_, scales_, bias_);
  }

 private:
  /// Computes one of `num_parts` parts of the product y [rows, out].
  void multiply_part(const torch::Tensor& levels, const torch::Tensor& y, int part, int num_parts) const {
    const auto num_rows = static_cast<int32_t>(levels.size(0)), width = static_cast<int32_t>(levels.size(1));
    auto* to = y.mutable_data_ptr<int32_t>();
    fbgemm::PackAMatrix<uint8_t> packed(fbgemm::matrix_op_t::NoTranspose, num_rows, width,
                                        levels.const_data_ptr<uint8_t>(), width);
    fbgemm::DoNothing<int32_t, int32_t> nothing;
    const fbgemm::memCopy<> keep(nothing);
    fbgemm::fbgemmPacked(packed, *matrix_, to, to, static_cast<uint32_t>(out_), keep, part, num_parts);
  }

  int64_t out_;
  torch::Tensor bias_, scales_, sums_;  // [out]
  std::unique_ptr<fbgemm::PackBMatrix<int8_t>> matrix_;
};

}  // namespace
#endif

std::unique_ptr<const PackedWeight> pack_fbgemm_int8_weight(const torch::Tensor& weight, const torch::Tensor& bias) {
#if defined(__x86_64__)
  if (weight.is_cpu() && fbgemm::fbgemmSupportedCPU()) return std::make_unique<FbgemmInt8Weight>(weight, bias);
#endif
  return nullptr;
}

}  // namespace transformer
