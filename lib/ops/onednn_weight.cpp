#include <ATen/ceil_div.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <utility>

#include "kernels/cpu/quantize_rows.h"
#include "ops/quantization.h"
#include "ops/weight_layouts.h"
#include "platform/cpu_features.h"

namespace transformer {
namespace {

/// A LibTorch operator that has no C++ function, called by its name.
class Operator {
 public:
  explicit Operator(const char* name) : handle_(c10::Dispatcher::singleton().findSchemaOrThrow(name, "")) {}

  template <class... Arguments>
  torch::Tensor operator()(Arguments&&... arguments) const {
    torch::jit::Stack stack{c10::IValue(std::forward<Arguments>(arguments))...};
    handle_.callBoxed(stack);
    return stack[0].toTensor();
  }

 private:
  c10::OperatorHandle handle_;
};

c10::IValue no_scalars() { return c10::List<std::optional<at::Scalar>>(); }

class OneDnnWeight : public PackedWeight {
 public:
  OneDnnWeight(const torch::Tensor& weight, const torch::Tensor& bias, torch::ScalarType type)
      : type_(type),
        weight_(Operator("mkldnn::_reorder_linear_weight")(weight.to(type), std::optional<int64_t>())),
        bias_(bias.defined() ? bias.to(type) : bias) {}

  torch::Tensor multiply(const torch::Tensor& x) const override {
    static const Operator linear("mkldnn::_linear_pointwise");
    const auto bias = bias_.defined() ? c10::IValue(bias_) : c10::IValue();
    return linear(x.to(type_), weight_, bias, "none", no_scalars(), "").to(torch::kFloat);
  }

 private:
  torch::ScalarType type_;
  torch::Tensor weight_, bias_;
};

class OneDnnInt8Weight : public PackedWeight {
 public:
  OneDnnInt8Weight(const QuantizedMatrix& weight, const torch::Tensor& bias)
      : weight_(Operator("onednn::qlinear_prepack")(weight.quantized, std::optional<std::vector<int64_t>>())),
        scales_(weight.inverse_scales.reciprocal()),
        zeros_(torch::zeros({weight.quantized.size(0)}, torch::kInt)),
        bias_(bias.defined() ? bias.clone() : bias) {}

  torch::Tensor multiply(const torch::Tensor& x) const override {
    static const Operator linear("onednn::qlinear_pointwise");
    const int64_t rows = x.size(0), zero_point = max_level_ / 2;
    const auto levels = torch::empty({padded_rows(rows), x.size(1)}, torch::kByte);
    const auto quantizations = cpu::quantize_rows(x, max_level_, cpu::QuantizationRange::symmetric, levels);
    levels.narrow(0, rows, levels.size(0) - rows).fill_(zero_point);
    const auto y = linear(levels, 1.0, zero_point, weight_, scales_, zeros_, c10::IValue(), 1.0, int64_t{0},
                          torch::kFloat, "none", no_scalars(), "")
                       .narrow(0, 0, rows);
    cpu::scale_rows(y, quantizations, bias_);
    return y;
  }

 private:
  /// oneDNN compiles and keeps a program for each number of rows: rounding it up bounds the number of programs.
  static int64_t padded_rows(int64_t rows) {
    static constexpr int64_t kBlock = 8;
    return rows <= kBlock ? rows : at::round_up(rows, kBlock);
  }

  torch::Tensor weight_, scales_, zeros_, bias_;
  // The largest quantized activation. x86 without VNNI adds two products in int16, which 8 bits would overflow.
  int32_t max_level_ = has_int8_dot_product() ? 254 : 126;
};

}  // namespace

std::unique_ptr<const PackedWeight> pack_onednn_weight(const torch::Tensor& weight, const torch::Tensor& bias,
                                                       torch::ScalarType type) {
  return std::make_unique<OneDnnWeight>(weight, bias, type);
}

std::unique_ptr<const PackedWeight> pack_onednn_int8_weight(const QuantizedMatrix& weight, const torch::Tensor& bias) {
  return std::make_unique<OneDnnInt8Weight>(weight, bias);
}

}  // namespace transformer
