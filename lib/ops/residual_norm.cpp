#include "ops/residual_norm.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/dropout.h"
#include "ops/dropout_mask.h"
#include "ops/fused.h"

namespace transformer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t kGrain = 64;  // positions worth a thread

/// What the rows of one position share.
struct Norm {
  int64_t width;
  float epsilon;
  const float *weight, *bias;
};

/// One position's y; returns 1 / deviation.
template <class Element>
[[gnu::always_inline]] inline float norm_row_of(const float* x, const Element* output, float* y, const Norm& norm,
                                                const SentenceMask* mask, uint32_t first) {
  Floats values, dropped, sums = {};
  for (int64_t c = 0; c < norm.width; c += kLanes) {
    load(values, x + c);
    load(dropped, output + c);
    if (mask != nullptr) mask->apply(dropped, first + static_cast<uint32_t>(c));
    values += dropped;
    store(y + c, values);
    sums += values;
  }
  const float mean = sum_of(sums) / static_cast<float>(norm.width);
  sums = Floats{};
  for (int64_t c = 0; c < norm.width; c += kLanes) {
    load(values, y + c);
    values -= mean;
    sums += values * values;
  }
  const float scale = 1 / std::sqrt(sum_of(sums) / static_cast<float>(norm.width) + norm.epsilon);
  for (int64_t c = 0; c < norm.width; c += kLanes) {
    Floats weight, bias;
    load(values, y + c);
    load(weight, norm.weight + c);
    load(bias, norm.bias + c);
    values = (values - mean) * scale * weight + bias;
    store(y + c, values);
  }
  return scale;
}

/// What the backward pass shares: the normalised sum is (kept - shift) * factor.
struct NormBackward {
  int64_t width;
  const float *weight, *shift, *factor;
};

/// The gradients of one position, and its part of the gradients of weight and bias.
template <class Element>
[[gnu::always_inline]] inline void norm_row_backward_of(const float* y_gradient, const float* kept, float scale,
                                                        float* x_gradient, Element* output_gradient,
                                                        float* weight_gradient, float* bias_gradient,
                                                        const NormBackward& norm, const SentenceMask* mask,
                                                        uint32_t first) {
  const auto load_normalised = [&](Floats & value, int64_t c) __attribute__((always_inline)) {
    Floats shift, factor;
    load(value, kept + c);
    load(shift, norm.shift + c);
    load(factor, norm.factor + c);
    value = (value - shift) * factor;
  };
  Floats gradient, value, weight, sums = {}, products = {};
  for (int64_t c = 0; c < norm.width; c += kLanes) {
    Floats total;
    load(gradient, y_gradient + c);
    load_normalised(value, c);
    load(weight, norm.weight + c);
    load(total, weight_gradient + c);
    total += gradient * value;
    store(weight_gradient + c, total);
    load(total, bias_gradient + c);
    total += gradient;
    store(bias_gradient + c, total);
    gradient *= weight;
    sums += gradient;
    products += gradient * value;
  }
  const float mean = sum_of(sums) / static_cast<float>(norm.width);
  const float slope = sum_of(products) / static_cast<float>(norm.width);
  for (int64_t c = 0; c < norm.width; c += kLanes) {
    load(gradient, y_gradient + c);
    load_normalised(value, c);
    load(weight, norm.weight + c);
    gradient = (gradient * weight - mean - value * slope) * scale;
    store(x_gradient + c, gradient);
    if (mask != nullptr) mask->apply(gradient, first + static_cast<uint32_t>(c));
    store(output_gradient + c, gradient);
  }
}

#define TRANSFORMER_NORM_ROWS(Element)                                                                               \
  TRANSFORMER_FOR_EACH_PROCESSOR float norm_row(const float* x, const Element* output, float* y, const Norm& norm,   \
                                                const SentenceMask* mask, uint32_t first) {                          \
    return norm_row_of(x, output, y, norm, mask, first);                                                             \
  }                                                                                                                  \
  TRANSFORMER_FOR_EACH_PROCESSOR void norm_row_backward(                                                             \
      const float* y_gradient, const float* kept, float scale, float* x_gradient, Element* output_gradient,          \
      float* weight_gradient, float* bias_gradient, const NormBackward& norm, const SentenceMask* mask,              \
      uint32_t first) {                                                                                              \
    norm_row_backward_of(y_gradient, kept, scale, x_gradient, output_gradient, weight_gradient, bias_gradient, norm, \
                         mask, first);                                                                               \
  }
TRANSFORMER_NORM_ROWS(float)
TRANSFORMER_NORM_ROWS(c10::BFloat16)
#undef TRANSFORMER_NORM_ROWS

template <class Element>
void norm_all(const torch::Tensor& x, const torch::Tensor& output, const Masks& masks, const Norm& norm,
              torch::Tensor& scales, torch::Tensor& y) {
  const auto* x_row = x.const_data_ptr<float>();
  const auto* output_row = output.const_data_ptr<Element>();
  auto *scale = scales.mutable_data_ptr<float>(), *y_row = y.mutable_data_ptr<float>();
  at::parallel_for(0, x.size(0), kGrain, [&](int64_t begin, int64_t end) {
    masks.for_each(begin, end, [&](int64_t position, const SentenceMask* mask, uint32_t first) {
      const int64_t at = position * norm.width;
      scale[position] = norm_row(x_row + at, output_row + at, y_row + at, norm, mask, first);
    });
  });
}

template <class Element>
void norm_all_backward(const torch::Tensor& y_gradient, const torch::Tensor& kept, const torch::Tensor& scales,
                       const Masks& masks, const NormBackward& norm, torch::Tensor& x_gradient,
                       torch::Tensor& output_gradient, torch::Tensor& weight_gradients, torch::Tensor& bias_gradients) {
  const auto *y_row = y_gradient.const_data_ptr<float>(), *kept_row = kept.const_data_ptr<float>(),
             *scale = scales.const_data_ptr<float>();
  auto* x_row = x_gradient.mutable_data_ptr<float>();
  auto* output_row = output_gradient.mutable_data_ptr<Element>();
  auto *weight = weight_gradients.mutable_data_ptr<float>(), *bias = bias_gradients.mutable_data_ptr<float>();
  at::parallel_for(0, y_gradient.size(0), kGrain, [&](int64_t begin, int64_t end) {
    const int64_t own = at::get_thread_num() * norm.width;
    masks.for_each(begin, end, [&](int64_t position, const SentenceMask* mask, uint32_t first) {
      const int64_t at = position * norm.width;
      norm_row_backward(y_row + at, kept_row + at, scale[position], x_row + at, output_row + at, weight + own,
                        bias + own, norm, mask, first);
    });
  });
}

/// Whether (y - bias) / weight gives the normalised sum back to all but a few of its last bits.
bool can_be_turned_back(const Norm& norm) {
  static constexpr float kMostLost = 100;
  for (int64_t c = 0; c < norm.width; ++c) {
    const float weight = std::abs(norm.weight[c]);
    if (!std::isnormal(weight) || std::abs(norm.bias[c]) > kMostLost * weight) return false;
  }
  return true;
}

/// y; `scales` [positions] becomes 1 / deviation of each position.
torch::Tensor normalized(const torch::Tensor& x, const torch::Tensor& output, const Masks& masks, const Norm& norm,
                         torch::Tensor& scales) {
  auto y = torch::empty_like(x);
  const bool is_float = output.scalar_type() == torch::kFloat;
  (is_float ? norm_all<float> : norm_all<c10::BFloat16>)(x, output, masks, norm, scales, y);
  return y;
}

Norm norm_of(const torch::Tensor& weight, const torch::Tensor& bias, double epsilon) {
  return {weight.size(0), static_cast<float>(epsilon), weight.const_data_ptr<float>(), bias.const_data_ptr<float>()};
}

class FusedResidualLayerNorm : public torch::autograd::Function<FusedResidualLayerNorm> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x_in, const torch::Tensor& output_in,
                               const c10::intrusive_ptr<SharedPacking>& packing, double p, const torch::Tensor& seeds,
                               const torch::Tensor& weight, const torch::Tensor& bias, double epsilon) {
    RECORD_USER_SCOPE("normalization");
    const auto x = x_in.contiguous(), output = output_in.contiguous();
    const Masks masks(*packing, p, seeds, x.size(1));
    auto scales = torch::empty({x.size(0)}, x.options());
    const Norm norm = norm_of(weight, bias, epsilon);
    const auto y = normalized(x, output, masks, norm, scales);
    // The output is kept anyway, by what reads it: what it was made of follows from it.
    if (can_be_turned_back(norm)) {
      context->save_for_backward({y, scales, weight, bias, weight.reciprocal()});
    } else {
      const auto ones = torch::ones_like(weight), zeros = torch::zeros_like(bias);
      const auto plain = normalized(x, output, masks, norm_of(ones, zeros, epsilon), scales);
      context->save_for_backward({plain, scales, weight, zeros, ones});
    }
    context->saved_data["packing"] = c10::IValue::make_capsule(packing);
    context->saved_data["p"] = p;
    context->saved_data["seeds"] = seeds;
    context->saved_data["is_float"] = output.scalar_type() == torch::kFloat;
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    RECORD_USER_SCOPE("normalization");
    const auto saved = context->get_saved_variables();
    const auto &kept = saved[0], &scales = saved[1], &weight = saved[2], &shift = saved[3], &factor = saved[4];
    const auto packing = context->saved_data["packing"].toCapsule();
    const bool is_float = context->saved_data["is_float"].toBool();
    const int64_t width = kept.size(1);
    const Masks masks(static_cast<const SharedPacking&>(*packing), context->saved_data["p"].toDouble(),
                      context->saved_data["seeds"].toTensor(), width);
    const NormBackward norm{width, weight.const_data_ptr<float>(), shift.const_data_ptr<float>(),
                            factor.const_data_ptr<float>()};
    auto x_gradient = torch::empty(kept.sizes(), kept.options());
    auto output_gradient =
        torch::empty(kept.sizes(), kept.options().dtype(is_float ? torch::kFloat : torch::kBFloat16));
    // Each thread adds up its own.
    auto weight_gradients = torch::zeros({at::get_num_threads(), width}, weight.options());
    auto bias_gradients = torch::zeros_like(weight_gradients);
    (is_float ? norm_all_backward<float> : norm_all_backward<c10::BFloat16>)(gradients[0].contiguous(), kept, scales,
                                                                             masks, norm, x_gradient, output_gradient,
                                                                             weight_gradients, bias_gradients);
    return {x_gradient, output_gradient, {}, {}, {}, weight_gradients.sum(0), bias_gradients.sum(0), {}};
  }
};

bool has_kernel(const torch::Tensor& x, const torch::Tensor& output) {
  const auto type = output.scalar_type();
  return uses_fused_kernels() && x.device().is_cpu() && x.scalar_type() == torch::kFloat &&
         (type == torch::kFloat || type == torch::kBFloat16) && x.size(1) % kLanes == 0;
}

}  // namespace

torch::Tensor residual_norm(const torch::Tensor& x, const torch::Tensor& output, const Packing& packing, double p,
                            const torch::Tensor& weight, const torch::Tensor& bias, double epsilon) {
  TORCH_CHECK(x.dim() == 2 && x.sizes() == output.sizes() && x.size(0) == packing.positions() &&
                  weight.size(0) == x.size(1) && bias.size(0) == x.size(1),
              "x ", x.sizes(), ", output ", output.sizes(), ", weight ", weight.sizes(), ", bias ", bias.sizes(), ", ",
              packing.positions(), " positions");
  if (!has_kernel(x, output)) {
    const auto sum = x + counter_dropout(output, packing, p, /*training=*/true);
    return torch::layer_norm(sum, {x.size(1)}, weight, bias, epsilon);
  }
  const auto seeds = p > 0 ? next_seeds(packing.sentences()) : torch::empty({0}, torch::kLong);
  if (!torch::GradMode::is_enabled()) {  // nothing to keep
    auto scales = torch::empty({x.size(0)}, x.options());
    const Masks masks(packing, p, seeds, x.size(1));
    return normalized(x.contiguous(), output.contiguous(), masks, norm_of(weight, bias, epsilon), scales);
  }
  return FusedResidualLayerNorm::apply(x, output, share(packing), p, seeds, weight, bias, epsilon);
}

}  // namespace transformer
