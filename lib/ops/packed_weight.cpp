#include "ops/packed_weight.h"

#include <ATen/Context.h>

#include "base/error.h"
#include "kernels/gpu_kernels.h"
#include "ops/weight_layouts.h"
#include "platform/cpu_features.h"

namespace transformer {
namespace {

/// fp32, bf16 and fp16 through LibTorch's own product.
class PlainWeight : public PackedWeight {
 public:
  PlainWeight(const torch::Tensor& weight, const torch::Tensor& bias, torch::ScalarType type)
      : weight_(weight.to(type)), bias_(bias.defined() ? bias.to(type) : bias) {}

  torch::Tensor multiply(const torch::Tensor& x) const override {
    const auto y = torch::linear(x.to(weight_.scalar_type()), weight_, bias_);
    return use_gpu_kernel({y}) ? y : y.to(torch::kFloat);  // GPU kernels take this type
  }
  torch::Tensor multiply_relu(const torch::Tensor& x) const override {
    if (!use_gpu_kernel({weight_})) return PackedWeight::multiply_relu(x);
    return torch::_addmm_activation(bias_, x.to(weight_.scalar_type()), weight_.t());
  }

  bool has_rows() const override { return true; }
  torch::Tensor rows(const torch::Tensor& indices) const override {
    return weight_.index_select(0, indices).to(torch::kFloat);
  }

 private:
  torch::Tensor weight_, bias_;
};

bool has_onednn(const torch::Tensor& weight) { return weight.is_cpu() && at::hasMKLDNN(); }

/// For processors without kernels for int8 panels.
std::unique_ptr<const PackedWeight> pack_library_int8_weight(const QuantizedMatrix& weight, const torch::Tensor& bias) {
  if (!has_onednn(weight.quantized)) {
    throw UsageError("int8 runs only on CPUs for which LibTorch has oneDNN; use bf16 or fp32");
  }
  return pack_onednn_int8_weight(weight, bias);
}

}  // namespace

torch::ScalarType storage_type(WeightType type) {
  switch (type) {
    case WeightType::fp32:
      return torch::kFloat;
    case WeightType::fp16:
      return torch::kHalf;
    case WeightType::bf16:
    case WeightType::int8:
      return torch::kBFloat16;
  }
  TORCH_CHECK(false, "unknown weight type");
}

std::unique_ptr<const PackedWeight> pack_weight(const torch::Tensor& weight, const torch::Tensor& bias,
                                                WeightType type) {
  // Of the model file's type: fp32, or bf16, which only some layouts are made from.
  const bool is_kept = type == WeightType::bf16 && weight.scalar_type() == torch::kBFloat16;
  const auto w = (is_kept ? weight : weight.to(torch::kFloat)).detach().contiguous();
  const auto b = bias.defined() ? bias.detach() : bias;
  if (type == WeightType::int8) {
    if (auto packed = pack_int8_panel_weight(w, b)) return packed;
    return pack_library_int8_weight(quantize(w), b);
  }
  if (type == WeightType::fp32) {
    if (auto packed = pack_fp32_panel_weight(w, b)) return packed;
  }
  if (type == WeightType::bf16) {
    if (auto packed = pack_bf16_panel_weight(w, b)) return packed;
  }
  const bool has_onednn_type = type == WeightType::fp32 || (type == WeightType::bf16 && has_avx512());
  if (has_onednn(w) && has_onednn_type) return pack_onednn_weight(w, b, storage_type(type));
  return std::make_unique<PlainWeight>(w, b, storage_type(type));
}

std::unique_ptr<const PackedWeight> pack_weight(const QuantizedMatrix& weight, const torch::Tensor& bias) {
  const auto b = bias.defined() ? bias.detach() : bias;
  const QuantizedMatrix matrix{weight.quantized.contiguous(), weight.inverse_scales};
  if (auto packed = pack_int8_panel_weight(matrix, b)) return packed;
  return pack_library_int8_weight(matrix, b);
}

}  // namespace transformer
