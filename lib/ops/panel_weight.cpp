#include <ATen/ceil_div.h>

#include <algorithm>

#include "kernels/cpu/fp32_panels.h"
#include "kernels/cpu/int8_panels.h"
#include "kernels/cpu/panels.h"
#include "kernels/cpu_kernels.h"
#include "ops/quantization.h"
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

class Int8PanelWeight : public PackedWeight {
 public:
  Int8PanelWeight(const torch::Tensor& weight, const torch::Tensor& bias) {
    static constexpr int64_t kMultiple = cpu::kInt8UnitsTogether * cpu::kInt8Unit;
    const int64_t out = weight.size(0), width = at::round_up(weight.size(1), kMultiple);
    const int64_t depth = width / cpu::kInt8Unit, panel_width = cpu::panel_width();
    weight_.out = out;
    weight_.panels = torch::empty({cpu::num_panels(out), depth, panel_width}, torch::kInt);
    weight_.sums = torch::empty({weight_.panels.size(0) * panel_width}, torch::kInt);
    weight_.scales = torch::zeros({weight_.panels.size(0) * panel_width});
    weight_.bias = padded_bias(bias, out);
    const int64_t block = 32 * panel_width;  // packed at a time, to bound the memory of temporary tensors
    for (int64_t first = 0; first < out; first += block) {
      const int64_t rows = std::min(block, out - first), panels = cpu::num_panels(rows);
      const auto padded = torch::constant_pad_nd(weight.narrow(0, first, rows),
                                                 {0, width - weight.size(1), 0, panels * panel_width - rows});
      const auto [quantized, inverse_scales] = quantize(padded, cpu::max_inverse_scales(padded));
      const auto units = quantized.view(torch::kInt).view({panels, panel_width, depth});
      weight_.panels.narrow(0, first / panel_width, panels).copy_(units.transpose(1, 2));
      weight_.sums.narrow(0, first, panels * panel_width).copy_(quantized.sum(1, /*keepdim=*/false, torch::kInt));
      weight_.scales.narrow(0, first, panels * panel_width).copy_(inverse_scales.reciprocal());
    }
  }

  torch::Tensor multiply(const torch::Tensor& x) const override {
    const auto levels = torch::empty({x.size(0), weight_.panels.size(1) * cpu::kInt8Unit}, torch::kByte);
    const auto rows = cpu::quantize_rows(x, cpu::kInt8MaxLevel, cpu::QuantizationRange::asymmetric, levels);
    return cpu::multiply_int8_panels(levels, rows, weight_);
  }

 private:
  cpu::Int8Panels weight_;
};

}  // namespace

std::unique_ptr<const PackedWeight> pack_fp32_panel_weight(const torch::Tensor& weight, const torch::Tensor& bias) {
  if (!use_cpu_kernel({weight}) || instruction_set() == InstructionSet::baseline) return nullptr;
  return std::make_unique<Fp32PanelWeight>(weight, bias);
}

std::unique_ptr<const PackedWeight> pack_int8_panel_weight(const torch::Tensor& weight, const torch::Tensor& bias) {
  if (!use_cpu_kernel({weight}) || instruction_set() == InstructionSet::baseline) return nullptr;
  return std::make_unique<Int8PanelWeight>(weight, bias);
}

}  // namespace transformer
