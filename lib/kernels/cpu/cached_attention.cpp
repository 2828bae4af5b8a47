#include "kernels/cpu/cached_attention.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/attention_scale.h"
#include "kernels/cpu/simd.h"
#include "kernels/cpu/softmax.h"

namespace transformer::cpu {
namespace {

constexpr int64_t kGrain = int64_t{1} << 15;  // multiplications that are worth a thread

/// The sizes of the heads, common to all rows.
struct Heads {
  int64_t h, d_k, d_v;
  float scale;  // attention_scale(d_k)
};

/// The keys and values of one row: `count` slots of the cache.
template <class Number>
struct CacheView {
  const Number *keys, *values;  // [capacity, h, d_k], [capacity, h, d_v]
  const int64_t* slots;
  int64_t count;
};

/// Computes the heads of one row: query [h, d_k], output [h, d_v]. Keys and values are read slot by slot, all heads
/// together, in memory order, while the next slot is prefetched. `weights` [h, round_up_to_lanes(count)] is scratch
/// memory.
template <class Floats, class Number>
[[gnu::always_inline]] inline void attend(const float* query, const CacheView<Number>& cache, const Heads& heads,
                                          float* weights, float* output) {
  const int64_t columns = round_up_to_lanes(cache.count);
  for (int64_t i = 0; i < cache.count; ++i) {
    const Number* key = cache.keys + cache.slots[i] * heads.h * heads.d_k;
    const Number* next = cache.keys + cache.slots[std::min(i + 1, cache.count - 1)] * heads.h * heads.d_k;
    for (int64_t head = 0; head < heads.h; ++head) {
      Floats products = {}, q, k;
      for (int64_t c = head * heads.d_k; c < (head + 1) * heads.d_k; c += kLanes<Floats>) {
        load(q, query + c);
        load(k, key + c);
        __builtin_prefetch(next + c);
        products += q * k;
      }
      weights[head * columns + i] = horizontal_sum(products) * heads.scale;
    }
  }
  for (int64_t head = 0; head < heads.h; ++head) softmax({weights + head * columns, 0, cache.count, columns});
  std::fill(output, output + heads.h * heads.d_v, 0.0F);
  for (int64_t i = 0; i < cache.count; ++i) {
    const Number* value = cache.values + cache.slots[i] * heads.h * heads.d_v;
    const Number* next = cache.values + cache.slots[std::min(i + 1, cache.count - 1)] * heads.h * heads.d_v;
    for (int64_t head = 0; head < heads.h; ++head) {
      const float weight = weights[head * columns + i];
      Floats sum, v;
      for (int64_t c = head * heads.d_v; c < (head + 1) * heads.d_v; c += kLanes<Floats>) {
        load(sum, output + c);
        load(v, value + c);
        __builtin_prefetch(next + c);
        sum += weight * v;
        store(output + c, sum);
      }
    }
  }
}

template <class Number>
void attend_row(const float* query, const CacheView<Number>& cache, const Heads& heads, float* weights, float* output) {
  TRANSFORMER_SIMD(attend<Floats>(query, cache, heads, weights, output));
}

template <class Number>
torch::Tensor cached_attention_of(const torch::Tensor& query, const torch::Tensor& keys, const torch::Tensor& values,
                                  const torch::Tensor& slots, const torch::Tensor& offsets) {
  const int64_t rows = query.size(0), h = query.size(1), d_k = query.size(2), d_v = values.size(2);
  const Heads heads{h, d_k, d_v, static_cast<float>(attention_scale(d_k))};
  const auto q = query.flatten(1);  // [rows, h * d_k]; the rows need not be adjacent in memory
  auto output = torch::empty({rows, h, d_v}, q.options());
  const auto* first_query = q.const_data_ptr<float>();
  const auto *first_key = keys.const_data_ptr<Number>(), *first_value = values.const_data_ptr<Number>();
  const auto *slot = slots.const_data_ptr<int64_t>(), *offset = offsets.const_data_ptr<int64_t>();
  auto* first_output = output.mutable_data_ptr<float>();
  const int64_t work_per_row = slots.size(0) * h * (d_k + d_v) / rows;
  at::parallel_for(0, rows, std::max<int64_t>(1, kGrain / work_per_row), [&](int64_t begin, int64_t end) {
    std::vector<float> weights;
    for (int64_t row = begin; row < end; ++row) {
      const int64_t count = offset[row + 1] - offset[row];
      weights.resize(std::max(weights.size(), static_cast<size_t>(h * round_up_to_lanes(count))));
      attend_row(first_query + row * q.stride(0), CacheView<Number>{first_key, first_value, slot + offset[row], count},
                 heads, weights.data(), first_output + row * h * d_v);
    }
  });
  return output;
}

}  // namespace

void copy_rows_to_slots(const torch::Tensor& cache, const torch::Tensor& slots, const torch::Tensor& rows) {
  const auto from = rows.flatten(1), to = cache.flatten(1);  // the rows of `from` need not be adjacent in memory
  TORCH_CHECK(from.scalar_type() == to.scalar_type() && from.size(1) == to.size(1) && from.stride(1) == 1, "rows ",
              from.toString(), from.sizes(), ", cache ", to.toString(), to.sizes());
  const auto size = static_cast<int64_t>(from.element_size());
  const auto* slot = slots.const_data_ptr<int64_t>();
  const auto* row = static_cast<const std::byte*>(from.const_data_ptr());
  auto* first = static_cast<std::byte*>(to.mutable_data_ptr());
  for (int64_t i = 0; i < from.size(0); ++i) {
    std::copy_n(row + i * from.stride(0) * size, from.size(1) * size, first + slot[i] * to.stride(0) * size);
  }
}

torch::Tensor cached_attention(const torch::Tensor& query, const torch::Tensor& keys, const torch::Tensor& values,
                               const torch::Tensor& slots, const torch::Tensor& offsets) {
  return values.scalar_type() == torch::kFloat
             ? cached_attention_of<float>(query, keys, values, slots, offsets)
             : cached_attention_of<c10::BFloat16>(query, keys, values, slots, offsets);
}

}  // namespace transformer::cpu
