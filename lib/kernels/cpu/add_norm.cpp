#include "kernels/cpu/add_norm.h"

#include <ATen/Parallel.h>

#include <cmath>

#include "kernels/cpu/row_mask.h"

namespace transformer::cpu {
namespace {

constexpr int64_t kGrain = 64;  // positions that are worth a thread

struct Norm {
  int64_t width;
  float epsilon;
  const float *weight, *bias;
};

/// Computes y at one position; `mask` is null if nothing is dropped. Returns rstd, 1 / sqrt(variance + epsilon).
template <class Floats, class Element>
[[gnu::always_inline]] inline float forward_row_of(const float* x, const Element* output, float* y, const Norm& norm,
                                                   const RowMask* mask) {
  Floats values, dropped, sums = {};
  for (int64_t c = 0; c < norm.width; c += kLanes<Floats>) {
    load(values, x + c);
    load(dropped, output + c);
    if (mask != nullptr) mask->apply(dropped, static_cast<uint32_t>(c));
    values += dropped;
    store(y + c, values);
    sums += values;
  }
  const float mean = horizontal_sum(sums) / static_cast<float>(norm.width);
  sums = Floats{};
  for (int64_t c = 0; c < norm.width; c += kLanes<Floats>) {
    load(values, y + c);
    values -= mean;
    sums += values * values;
  }
  const float rstd = 1 / std::sqrt(horizontal_sum(sums) / static_cast<float>(norm.width) + norm.epsilon);
  for (int64_t c = 0; c < norm.width; c += kLanes<Floats>) {
    Floats weight, bias;
    load(values, y + c);
    load(weight, norm.weight + c);
    load(bias, norm.bias + c);
    values = (values - mean) * rstd * weight + bias;
    store(y + c, values);
  }
  return rstd;
}

struct NormBackward {
  int64_t width;
  const float *weight, *shift, *factor;
};

/// What one position of the backward pass reads and writes.
template <class Element>
struct BackwardRow {
  const float *y_gradient, *stored;
  float rstd;
  float* x_gradient;
  Element* output_gradient;
  float *weight_gradient, *bias_gradient;  // [width], added to
};

template <class Floats, class Element>
[[gnu::always_inline]] inline void backward_row_of(const BackwardRow<Element>& row, const NormBackward& norm,
                                                   const RowMask* mask) {
  const auto load_normalized = [&](Floats & value, int64_t c) __attribute__((always_inline)) {
    Floats shift, factor;
    load(value, row.stored + c);
    load(shift, norm.shift + c);
    load(factor, norm.factor + c);
    value = (value - shift) * factor;
  };
  Floats gradient, value, weight, sums = {}, products = {};
  for (int64_t c = 0; c < norm.width; c += kLanes<Floats>) {
    Floats total;
    load(gradient, row.y_gradient + c);
    load_normalized(value, c);
    load(weight, norm.weight + c);
    load(total, row.weight_gradient + c);
    total += gradient * value;
    store(row.weight_gradient + c, total);
    load(total, row.bias_gradient + c);
    total += gradient;
    store(row.bias_gradient + c, total);
    gradient *= weight;
    sums += gradient;
    products += gradient * value;
  }
  const float mean = horizontal_sum(sums) / static_cast<float>(norm.width);
  const float slope = horizontal_sum(products) / static_cast<float>(norm.width);
  for (int64_t c = 0; c < norm.width; c += kLanes<Floats>) {
    load(gradient, row.y_gradient + c);
    load_normalized(value, c);
    load(weight, norm.weight + c);
    gradient = (gradient * weight - mean - value * slope) * row.rstd;
    store(row.x_gradient + c, gradient);
    if (mask != nullptr) mask->apply(gradient, static_cast<uint32_t>(c));
    store(row.output_gradient + c, gradient);
  }
}

template <class Element>
float forward_row(const float* x, const Element* output, float* y, const Norm& norm, const RowMask* mask) {
  return TRANSFORMER_SIMD(return forward_row_of<Floats>(x, output, y, norm, mask));
}

template <class Element>
void backward_row(const BackwardRow<Element>& row, const NormBackward& norm, const RowMask* mask) {
  TRANSFORMER_SIMD(backward_row_of<Floats>(row, norm, mask));
}

/// Calls work(position, its mask or null) for all positions, distributed over the threads.
template <class Work>
void for_each_position(int64_t positions, const RowMasks& masks, const Work& work) {
  at::parallel_for(0, positions, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t position = begin; position < end; ++position) {
      if (masks.drops_nothing()) {
        work(position, nullptr);
      } else {
        const RowMask mask = masks[position];
        work(position, &mask);
      }
    }
  });
}

template <class Element>
void forward_all(const torch::Tensor& x, const torch::Tensor& output, const RowMasks& masks, const Norm& norm,
                 AddNormOutput& result) {
  const auto* x_row = x.const_data_ptr<float>();
  const auto* output_row = output.const_data_ptr<Element>();
  auto *rstd = result.rstd.mutable_data_ptr<float>(), *y_row = result.y.mutable_data_ptr<float>();
  for_each_position(x.size(0), masks, [&](int64_t position, const RowMask* mask) {
    const int64_t at = position * norm.width;
    rstd[position] = forward_row(x_row + at, output_row + at, y_row + at, norm, mask);
  });
}

/// `weight_gradients` and `bias_gradients` [threads, width]: each thread adds to its own row.
template <class Element>
void backward_all(const torch::Tensor& y_gradient, const AddNormContext& context, const RowMasks& masks,
                  torch::Tensor& x_gradient, torch::Tensor& output_gradient, torch::Tensor& weight_gradients,
                  torch::Tensor& bias_gradients) {
  const NormBackward norm{context.stored.size(1), context.weight.const_data_ptr<float>(),
                          context.shift.const_data_ptr<float>(), context.factor.const_data_ptr<float>()};
  const auto *y_row = y_gradient.const_data_ptr<float>(), *stored_row = context.stored.const_data_ptr<float>(),
             *rstd = context.rstd.const_data_ptr<float>();
  auto* x_row = x_gradient.mutable_data_ptr<float>();
  auto* output_row = output_gradient.mutable_data_ptr<Element>();
  auto *weight = weight_gradients.mutable_data_ptr<float>(), *bias = bias_gradients.mutable_data_ptr<float>();
  for_each_position(y_gradient.size(0), masks, [&](int64_t position, const RowMask* mask) {
    const int64_t at = position * norm.width, own = at::get_thread_num() * norm.width;
    backward_row(BackwardRow<Element>{y_row + at, stored_row + at, rstd[position], x_row + at, output_row + at,
                                      weight + own, bias + own},
                 norm, mask);
  });
}

}  // namespace

AddNormOutput add_norm_forward(const torch::Tensor& x, const torch::Tensor& output, const DropoutMask& mask,
                               const torch::Tensor& weight, const torch::Tensor& bias, double epsilon) {
  AddNormOutput result{torch::empty_like(x), torch::empty({x.size(0)}, x.options())};
  const Norm norm{x.size(1), static_cast<float>(epsilon), weight.const_data_ptr<float>(), bias.const_data_ptr<float>()};
  const RowMasks masks(mask, x.size(1));
  const bool is_float = output.scalar_type() == torch::kFloat;
  (is_float ? forward_all<float> : forward_all<c10::BFloat16>)(x, output, masks, norm, result);
  return result;
}

bool can_recover_normalized(const torch::Tensor& weight, const torch::Tensor& bias) {
  static constexpr float kMaxRatio = 100;  // of the bias to the weight: the more, the more bits y - bias loses
  const auto *w = weight.const_data_ptr<float>(), *b = bias.const_data_ptr<float>();
  for (int64_t c = 0; c < weight.size(0); ++c) {
    const float size = std::abs(w[c]);
    if (!std::isnormal(size) || std::abs(b[c]) > kMaxRatio * size) return false;
  }
  return true;
}

AddNormGradients add_norm_backward(const torch::Tensor& y_gradient, const AddNormContext& context,
                                   const DropoutMask& mask, torch::ScalarType output_type) {
  const auto& stored = context.stored;
  auto x_gradient = torch::empty(stored.sizes(), stored.options());
  auto output_gradient = torch::empty(stored.sizes(), stored.options().dtype(output_type));
  auto weight_gradients = torch::zeros({at::get_num_threads(), stored.size(1)}, context.weight.options());
  auto bias_gradients = torch::zeros_like(weight_gradients);
  const bool is_float = output_type == torch::kFloat;
  (is_float ? backward_all<float> : backward_all<c10::BFloat16>)(y_gradient, context, RowMasks(mask, stored.size(1)),
                                                                 x_gradient, output_gradient, weight_gradients,
                                                                 bias_gradients);
  return {x_gradient, output_gradient, weight_gradients.sum(0), bias_gradients.sum(0)};
}

}  // namespace transformer::cpu
