#include <utility>

#include "kernels/cpu/bf16_panels.h"
#include "kernels/cpu/fp32_panels.h"
#include "kernels/cpu/int8_panels.h"
#include "kernels/cpu/panels.h"
#include "kernels/cpu_kernels.h"
#include "ops/weight_layouts.h"
#include "platform/cpu_features.h"

namespace transformer {
namespace {

/// bias [out] or undefined. Returns [panels * panel_width()], zero where there is none.
torch::Tensor padded_bias(const torch::Tensor& bias, int64_t out) {
  auto padded = torch::zeros({cpu::num_panels(out) * cpu::panel_width()});
  if (bias.defined()) padded.narrow(0, 0, out).copy_(bias);
  return padded;
}

class Fp32PanelWeight : public PackedWeight {
 public:
  Fp32PanelWeight(const torch::Tensor& weight, const torch::Tensor& bias)
      : panels_(cpu::pack_fp32_panels(weight)), bias_(padded_bias(bias, weight.size(0))), out_(weight.size(0)) {}

  torch::Tensor multiply(const torch::Tensor& x) const override {
    return cpu::multiply_fp32_panels(x, panels_, bias_, out_);
  }
  bool has_rows() const override { return true; }
  torch::Tensor rows(const torch::Tensor& indices) const override { return cpu::rows_of_fp32_panels(panels_, indices); }

 private:
  torch::Tensor panels_, bias_;
  int64_t out_;
};

class Bf16PanelWeight : public PackedWeight {
 public:
  Bf16PanelWeight(const torch::Tensor& weight, const torch::Tensor& bias)
      : panels_(cpu::pack_bf16_panels(weight)), bias_(padded_bias(bias, weight.size(0))), out_(weight.size(0)) {}

  torch::Tensor multiply(const torch::Tensor& x) const override {
    return cpu::multiply_bf16_panels(x, panels_, bias_, out_);
  }

 private:
  torch::Tensor panels_, bias_;
  int64_t out_;
};

class Int8PanelWeight : public PackedWeight {
 public:
  explicit Int8PanelWeight(cpu::Int8Panels weight) : weight_(std::move(weight)) {}

  torch::Tensor multiply(const torch::Tensor& x) const override { return cpu::multiply_int8_panels(x, weight_); }

 private:
  cpu::Int8Panels weight_;
};

bool can_use_panels(const torch::Tensor& tensor) {
  return use_cpu_kernel({tensor}) && instruction_set() != InstructionSet::baseline;
}

}  // namespace

std::unique_ptr<const PackedWeight> pack_fp32_panel_weight(const torch::Tensor& weight, const torch::Tensor& bias) {
  if (!can_use_panels(weight)) return nullptr;
  return std::make_unique<Fp32PanelWeight>(weight, bias);
}

std::unique_ptr<const PackedWeight> pack_bf16_panel_weight(const torch::Tensor& weight, const torch::Tensor& bias) {
  if (!use_cpu_kernel({weight}) || !cpu::has_bf16_panels()) return nullptr;
  return std::make_unique<Bf16PanelWeight>(weight.to(torch::kBFloat16), bias);
}

std::unique_ptr<const PackedWeight> pack_int8_panel_weight(const torch::Tensor& weight, const torch::Tensor& bias) {
  if (!can_use_panels(weight)) return nullptr;
  return std::make_unique<Int8PanelWeight>(cpu::pack_int8_panels(weight, bias));
}

std::unique_ptr<const PackedWeight> pack_int8_panel_weight(const QuantizedMatrix& weight, const torch::Tensor& bias) {
  if (!can_use_panels(weight.inverse_scales)) return nullptr;
  return std::make_unique<Int8PanelWeight>(cpu::pack_int8_panels(weight.quantized, weight.inverse_scales, bias));
}

}  // namespace transformer
