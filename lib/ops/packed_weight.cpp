#include "ops/packed_weight.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "platform/cpu_features.h"
#include "ops/byte_panel_weight.h"
#include "ops/panel_weight.h"
#include "ops/quantization.h"
#include "ops/vector_math.h"

namespace transformer {
namespace {

/// One of LibTorch's operators that have no C++ function.
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

/// fp32, bf16 and fp16, with whatever LibTorch takes for the product.
class PlainWeight : public PackedWeight {
 public:
  PlainWeight(const torch::Tensor& weight, const torch::Tensor& bias, torch::ScalarType type)
      : weight_(weight.to(type)), bias_(bias.defined() ? bias.to(type) : bias) {}

  torch::Tensor multiply(const torch::Tensor& x) const override {
    return torch::linear(x.to(weight_.scalar_type()), weight_, bias_).to(torch::kFloat);
  }

 private:
  torch::Tensor weight_, bias_;
};

/// fp32 and bf16 in oneDNN's own layout.
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

TRANSFORMER_FOR_EACH_PROCESSOR void scale_row(float* y, float scale, const float* bias, int64_t width) {
  if (bias == nullptr) {
    for (int64_t c = 0; c < width; ++c) y[c] *= scale;
  } else {
    for (int64_t c = 0; c < width; ++c) y[c] = y[c] * scale + bias[c];
  }
}

/// int8 by oneDNN: sums of products of whole numbers, then the scales.
class Int8Weight : public PackedWeight {
 public:
  Int8Weight(const torch::Tensor& weight, const torch::Tensor& bias)
      : zeros_(torch::zeros({weight.size(0)}, torch::kInt)), bias_(bias.defined() ? bias.clone() : bias) {
    const auto [whole, scale] = quantize(weight);
    scales_ = scale.reciprocal();
    weight_ = Operator("onednn::qlinear_prepack")(whole, std::optional<std::vector<int64_t>>());
  }

  torch::Tensor multiply(const torch::Tensor& x) const override {
    static const Operator linear("onednn::qlinear_pointwise");
    const int64_t rows = x.size(0), zero = steps_ / 2;
    const auto whole = torch::empty({whole_block(rows), x.size(1)}, torch::kByte);
    const auto ranges = quantize_rows(x, steps_, RowZero::in_the_middle, whole);
    whole.narrow(0, rows, whole.size(0) - rows).fill_(zero);
    const auto y = linear(whole, 1.0, zero, weight_, scales_, zeros_, c10::IValue(), 1.0, int64_t{0}, torch::kFloat,
                          "none", no_scalars(), "")
                       .narrow(0, 0, rows);
    const int64_t out = y.size(1);
    auto* first = y.mutable_data_ptr<float>();
    const auto* bias = bias_.defined() ? bias_.const_data_ptr<float>() : nullptr;
    at::parallel_for(0, rows, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        scale_row(first + row * out, ranges[static_cast<size_t>(row)].scale, bias, out);
      }
    });
    return y;
  }

 private:
  static constexpr int64_t kGrain = 16;  // rows worth a thread

  /// oneDNN makes and keeps a program for each number of rows: a search, which has any, makes do with these.
  static int64_t whole_block(int64_t rows) {
    static constexpr int64_t kBlock = 8;
    return rows <= kBlock ? rows : (rows + kBlock - 1) / kBlock * kBlock;
  }

  torch::Tensor weight_, scales_, zeros_, bias_;
  int32_t steps_ = has_exact_byte_products() ? 254 : 126;  // of a row: in 8 bits, or in those multiplied exactly
};

}  // namespace

torch::ScalarType row_type(WeightType type) {
  switch (type) {
    case WeightType::fp32:
      return torch::kFloat;
    case WeightType::fp16:
      return torch::kHalf;
    case WeightType::bf16:
    case WeightType::int8:
      return torch::kBFloat16;
  }
  TORCH_CHECK(false, "a type of weight");
}

std::unique_ptr<const PackedWeight> pack_weight(const torch::Tensor& weight, const torch::Tensor& bias,
                                                WeightType type) {
  const auto w = weight.detach().contiguous();
  const auto b = bias.defined() ? bias.detach() : bias;
  const bool has_onednn = w.device().is_cpu() && at::hasMKLDNN();
  if (type == WeightType::int8) {
    if (auto panels = pack_byte_panels(w, b)) return panels;
    if (!has_onednn) throw UsageError("int8 products are for the CPU, where LibTorch has oneDNN; use bf16 or fp32");
    return std::make_unique<Int8Weight>(w, b);
  }
  if (type == WeightType::fp32 && has_panel_kernel(w)) return std::make_unique<PanelWeight>(w, b);
  if (has_onednn && type != WeightType::fp16) return std::make_unique<OneDnnWeight>(w, b, row_type(type));
  return std::make_unique<PlainWeight>(w, b, row_type(type));
}

}  // namespace transformer
