#pragma once

#include "kernels/gpu/row_mask.h"

namespace transformer::gpu {

// LayerNorm(x + Dropout(output)) (§3.1), a row in each block.

struct AddNormForward {
  int64_t rows;
  int width;
  float epsilon;
  const float* x;       // [rows, width]
  Elements output;      // [rows, width]
  RowMasks masks;       // of the output
  const float* weight;  // [width]: of LayerNorm
  const float* bias;    // [width]: of LayerNorm
  float* y;             // [rows, width]
  Elements rounded;     // [rows, width]: y in the type of the output; null if that is fp32
  float* normalized;    // [rows, width]: before weight and bias; null if there will be no backward pass
  float* rstd;          // [rows]: 1 / sqrt(variance + epsilon); null if there will be no backward pass
};

template <class Element, int n>
struct AddNormForwardKernel {
  AddNormForward a;

  template <class Block>
  TRANSFORMER_GPU void operator()(Block& block) const {
    const int64_t row = block.index(), start = row * a.width;
    const int vectors = a.width / n;
    const float* x = a.x + start;
    const auto* output = static_cast<const Element*>(a.output.data) + start;
    const RowMask mask = a.masks.row(row, a.width);
    const auto width = static_cast<float>(a.width);
    float* sums = block.template shared<float>(a.width);  // x + Dropout(output)

    const float total = block.reduce(vectors, 0.0f, Add(), [&](int vector) {
      const int c = vector * n;
      Floats<n> sum = load<n>(output + c);
      mask.apply(sum, c);
      const Floats<n> residual = load<n>(x + c);
      sum = generate<n>([&](int i) { return sum[i] + residual[i]; });
      store(sums + c, sum);
      return sum.sum();
    });
    const float mean = total / width;
    const float squares = block.reduce(vectors, 0.0f, Add(), [&](int vector) {
      const Floats<n> sum = load<n>(sums + vector * n);
      return generate<n>([&](int i) { return (sum[i] - mean) * (sum[i] - mean); }).sum();
    });
    const float rstd = 1.0f / sqrtf(squares / width + a.epsilon);
    block.each(vectors, [&](int vector) {
      const int c = vector * n;
      const Floats<n> sum = load<n>(sums + c), weight = load<n>(a.weight + c), bias = load<n>(a.bias + c);
      const auto normalized = generate<n>([&](int i) { return (sum[i] - mean) * rstd; });
      const auto y = generate<n>([&](int i) { return normalized[i] * weight[i] + bias[i]; });
      store(a.y + start + c, y);
      if (a.rounded.data != nullptr) store(static_cast<Element*>(a.rounded.data) + start + c, y);
      if (a.normalized != nullptr) store(a.normalized + start + c, normalized);
    });
    if (a.rstd == nullptr) return;
    block.once([&] { a.rstd[row] = rstd; });
  }
};

template <class Launcher>
void add_norm_forward(const AddNormForward& a) {
  with_type_of(a.output, [&]<class Element>(Element*) {
    with_vector_size(a.width, [&]<int n>(std::integral_constant<int, n>) {
      Launcher::launch(AddNormForwardKernel<Element, n>{a},
                       {a.rows, threads_for(a.width, n), sizeof(float) * static_cast<size_t>(a.width)});
    });
  });
}

struct AddNormBackward {
  int64_t rows;
  int width;
  int num_blocks;             // each computes every num_blocks-th row
  const float* y_gradient;    // [rows, width]; null if only `rounded` was used
  Elements rounded_gradient;  // [rows, width], in the type of output_gradient; null if only y was used
  const float* normalized;    // [rows, width]
  const float* rstd;          // [rows]
  const float* weight;        // [width]: of LayerNorm
  RowMasks masks;
  float* x_gradient;         // [rows, width]
  Elements output_gradient;  // [rows, width]
  float* weight_gradients;   // [num_blocks, width]: to be added up
  float* bias_gradients;     // [num_blocks, width]
};

/// Sums over a row: of the gradient with respect to the normalized values, and of its products with these values.
struct NormSums {
  float gradient, product;
};

struct AddNormSums {
  TRANSFORMER_GPU NormSums operator()(NormSums a, NormSums b) const {
    return {a.gradient + b.gradient, a.product + b.product};
  }
};

template <class Element, int n>
struct AddNormBackwardKernel {
  AddNormBackward a;

  template <class Block>
  TRANSFORMER_GPU void operator()(Block& block) const {
    const int vectors = a.width / n;
    float* weight_gradient = block.template shared<float>(a.width);
    float* bias_gradient = block.template shared<float>(a.width);
    block.each(vectors, [&](int vector) {
      const auto zero = generate<n>([](int) { return 0.0f; });
      store(weight_gradient + vector * n, zero);
      store(bias_gradient + vector * n, zero);
    });
    // With 64-bit rows here, nvcc splits the stores of backward_row into single elements for compute capability 8
    // and 9.
    const auto rows = static_cast<int>(a.rows), stride = static_cast<int>(block.count());
    for (auto row = static_cast<int>(block.index()); row < rows; row += stride) {
      backward_row(block, row, weight_gradient, bias_gradient);
    }
    block.each(vectors, [&](int vector) {
      const int c = vector * n;
      const int64_t at = block.index() * a.width + c;
      store(a.weight_gradients + at, load<n>(weight_gradient + c));
      store(a.bias_gradients + at, load<n>(bias_gradient + c));
    });
  }

 private:
  /// The gradient of the loss with respect to the n elements of y from index `at`: the sum of the gradients with
  /// respect to y and to `rounded`.
  TRANSFORMER_GPU Floats<n> y_gradient(int64_t at) const {
    const auto* rounded_gradient = static_cast<const Element*>(a.rounded_gradient.data);
    if (rounded_gradient == nullptr) return load<n>(a.y_gradient + at);
    const Floats<n> by_rounded = load<n>(rounded_gradient + at);
    if (a.y_gradient == nullptr) return by_rounded;
    const Floats<n> by_y = load<n>(a.y_gradient + at);
    return generate<n>([&](int i) { return by_y[i] + by_rounded[i]; });
  }

  template <class Block>
  TRANSFORMER_GPU void backward_row(Block& block, int64_t row, float* weight_gradient, float* bias_gradient) const {
    const int vectors = a.width / n;
    const int64_t start = row * a.width;
    const RowMask mask = a.masks.row(row, a.width);
    const NormSums sums = block.reduce(vectors, NormSums{0, 0}, AddNormSums(), [&](int vector) {
      const int c = vector * n;
      const Floats<n> gradient = y_gradient(start + c), value = load<n>(a.normalized + start + c);
      const Floats<n> weight = load<n>(a.weight + c);
      const Floats<n> of_weight = load<n>(weight_gradient + c), of_bias = load<n>(bias_gradient + c);
      store(weight_gradient + c, generate<n>([&](int i) { return of_weight[i] + gradient[i] * value[i]; }));
      store(bias_gradient + c, generate<n>([&](int i) { return of_bias[i] + gradient[i]; }));
      const auto scaled = generate<n>([&](int i) { return gradient[i] * weight[i]; });
      return NormSums{scaled.sum(), generate<n>([&](int i) { return scaled[i] * value[i]; }).sum()};
    });
    const float mean = sums.gradient / static_cast<float>(a.width), slope = sums.product / static_cast<float>(a.width);
    const float rstd = a.rstd[row];
    block.each(vectors, [&](int vector) {
      const int c = vector * n;
      const Floats<n> gradient = y_gradient(start + c), value = load<n>(a.normalized + start + c);
      const Floats<n> weight = load<n>(a.weight + c);
      auto result = generate<n>([&](int i) { return (gradient[i] * weight[i] - mean - value[i] * slope) * rstd; });
      store(a.x_gradient + start + c, result);
      mask.apply(result, c);
      store(static_cast<Element*>(a.output_gradient.data) + start + c, result);
    });
  }
};

template <class Launcher>
void add_norm_backward(const AddNormBackward& a) {
  with_type_of(a.output_gradient, [&]<class Element>(Element*) {
    with_vector_size(a.width, [&]<int n>(std::integral_constant<int, n>) {
      Launcher::launch(AddNormBackwardKernel<Element, n>{a},
                       {a.num_blocks, threads_for(a.width, n), 2 * sizeof(float) * static_cast<size_t>(a.width)});
    });
  });
}

}  // namespace transformer::gpu
