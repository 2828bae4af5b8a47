#pragma once

#include <cmath>

#include "kernels/gpu/block.h"

namespace transformer::gpu {

/// Eq. 1 (§3.2.1) for one query per row over the slots of a key/value cache, a head of a row in each block.
struct CachedAttention {
  int64_t rows;
  int h, d_k, d_v;
  float scale;     // 1 / sqrt(d_k)
  Elements query;  // [rows, h, d_k]; rows are query_stride elements apart
  int64_t query_stride;
  Elements keys, values;  // [capacity, h, d_k], [capacity, h, d_v], of the same type as the query
  const int64_t* slots;   // row i attends to slots[offsets[i]] ... slots[offsets[i + 1] - 1], at least one
  const int32_t* offsets;
  int max_slots;    // the largest number of slots of a row
  Elements output;  // [rows, h, d_v], of the same type
};

/// Into how many parts the weighted sum of a row's values is divided, so that more threads work on it.
inline constexpr int kValueParts = 8;
inline constexpr int kCachedAttentionThreads = 256;

/// Shared memory of a block, in floats: the query, the weights, and the parts of the weighted sum.
constexpr int64_t cached_attention_floats(int64_t d_k, int64_t d_v, int64_t max_slots) {
  return d_k + max_slots + kValueParts * d_v;
}

struct Max {
  TRANSFORMER_GPU float operator()(float a, float b) const { return a > b ? a : b; }
};

template <class Element, int n>
struct CachedAttentionKernel {
  CachedAttention a;

  template <class Block>
  TRANSFORMER_GPU void operator()(Block& block) const {
    const int64_t row = block.index() / a.h, head = block.index() % a.h;
    const int64_t* slots = a.slots + a.offsets[row];
    const int count = a.offsets[row + 1] - a.offsets[row];
    float* query = block.template shared<float>(a.d_k);
    float* weights = block.template shared<float>(a.max_slots);
    float* sums = block.template shared<float>(kValueParts * a.d_v);

    const auto* from = static_cast<const Element*>(a.query.data) + row * a.query_stride + head * a.d_k;
    block.each(a.d_k, [&](int c) { query[c] = static_cast<float>(from[c]) * a.scale; });
    const float largest = block.reduce(count, -INFINITY, Max(), [&](int i) {
      const auto* key = static_cast<const Element*>(a.keys.data) + (slots[i] * a.h + head) * a.d_k;
      float product = 0;
      for (int c = 0; c < a.d_k; c += n) {
        const Floats<n> k = load<n>(key + c);
        product += generate<n>([&](int j) { return query[c + j] * k[j]; }).sum();
      }
      weights[i] = product;
      return product;
    });
    const float sum = block.reduce(count, 0.0f, Add(), [&](int i) {
      weights[i] = expf(weights[i] - largest);
      return weights[i];
    });
    const int64_t value_stride = int64_t{a.h} * a.d_v;
    block.each(kValueParts * a.d_v, [&](int j) {
      const auto* values = static_cast<const Element*>(a.values.data) + head * a.d_v + j % a.d_v;
      float total = 0;
      for (int i = j / a.d_v; i < count; i += kValueParts) {
        total += weights[i] * static_cast<float>(values[slots[i] * value_stride]);
      }
      sums[j] = total;
    });
    auto* output = static_cast<Element*>(a.output.data) + (row * a.h + head) * a.d_v;
    block.each(a.d_v, [&](int c) {
      float total = 0;
      for (int part = 0; part < kValueParts; ++part) total += sums[part * a.d_v + c];
      output[c] = static_cast<Element>(total / sum);
    });
  }
};

template <class Launcher>
void cached_attention(const CachedAttention& a) {
  with_type_of(a.query, [&]<class Element>(Element*) {
    with_vector_size(a.d_k, [&]<int n>(std::integral_constant<int, n>) {
      const auto floats = static_cast<size_t>(cached_attention_floats(a.d_k, a.d_v, a.max_slots));
      Launcher::launch(CachedAttentionKernel<Element, n>{a},
                       {a.rows * a.h, kCachedAttentionThreads, sizeof(float) * floats});
    });
  });
}

}  // namespace transformer::gpu
