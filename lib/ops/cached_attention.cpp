#include "ops/cached_attention.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "ops/fused.h"
#include "ops/softmax.h"
#include "ops/vector_math.h"

namespace transformer {
namespace {

constexpr int64_t kGrain = int64_t{1} << 15;  // multiplications worth a thread

/// What the rows of a step share.
struct Heads {
  int64_t h, d_k, d_v;
  float scale;  // 1 / sqrt(d_k)
};

/// What one row attends to.
template <class Number>
struct Seen {
  const Number *keys, *values;  // of all places: [capacity, h, d_k], [capacity, h, d_v]
  const int64_t* places;
  int64_t count;
};

/// sum_of with half added to half, so that few additions wait for each other: here a sum comes every few products.
[[gnu::always_inline]] inline float quick_sum_of(const Floats& x) {
  using Eight = float __attribute__((vector_size(8 * sizeof(float))));
  using Four = float __attribute__((vector_size(4 * sizeof(float))));
  Eight eights[2];
  std::memcpy(eights, &x, sizeof(x));
  eights[0] += eights[1];
  Four fours[2];
  std::memcpy(fours, eights, sizeof(fours));
  fours[0] += fours[1];
  return (fours[0][0] + fours[0][2]) + (fours[0][1] + fours[0][3]);
}

/// The heads of one row: query [h, d_k], output [h, d_v]. Keys and values are read place by place, all heads together,
/// as they lie in memory, and each place fetches the next one. `weights` [h, whole_lanes(count)] is for the kernel's
/// use.
template <class Number>
[[gnu::always_inline]] inline void attend(const float* query, const Seen<Number>& seen, const Heads& heads,
                                          float* weights, float* output) {
  const int64_t columns = whole_lanes(seen.count);
  for (int64_t i = 0; i < seen.count; ++i) {
    const Number* key = seen.keys + seen.places[i] * heads.h * heads.d_k;
    const Number* next = seen.keys + seen.places[std::min(i + 1, seen.count - 1)] * heads.h * heads.d_k;
    for (int64_t head = 0; head < heads.h; ++head) {
      Floats products = {}, q, k;
      for (int64_t c = head * heads.d_k; c < (head + 1) * heads.d_k; c += kLanes) {
        load(q, query + c);
        load(k, key + c);
        __builtin_prefetch(next + c);
        products += q * k;
      }
      weights[head * columns + i] = quick_sum_of(products) * heads.scale;
    }
  }
  for (int64_t head = 0; head < heads.h; ++head) softmax(weights + head * columns, seen.count, columns);
  std::fill(output, output + heads.h * heads.d_v, 0.0F);
  for (int64_t i = 0; i < seen.count; ++i) {
    const Number* value = seen.values + seen.places[i] * heads.h * heads.d_v;
    const Number* next = seen.values + seen.places[std::min(i + 1, seen.count - 1)] * heads.h * heads.d_v;
    for (int64_t head = 0; head < heads.h; ++head) {
      const float weight = weights[head * columns + i];
      Floats sum, v;
      for (int64_t c = head * heads.d_v; c < (head + 1) * heads.d_v; c += kLanes) {
        load(sum, output + c);
        load(v, value + c);
        __builtin_prefetch(next + c);
        sum += weight * v;
        store(output + c, sum);
      }
    }
  }
}

TRANSFORMER_FOR_EACH_PROCESSOR void attend_row(const float* query, const Seen<float>& seen, const Heads& heads,
                                               float* weights, float* output) {
  attend(query, seen, heads, weights, output);
}
TRANSFORMER_FOR_EACH_PROCESSOR void attend_row(const float* query, const Seen<c10::BFloat16>& seen, const Heads& heads,
                                               float* weights, float* output) {
  attend(query, seen, heads, weights, output);
}

template <class Number>
torch::Tensor fused_cached_attention(const torch::Tensor& query, const torch::Tensor& keys, const torch::Tensor& values,
                                     const PlaceLists& seen) {
  const int64_t rows = query.size(0), h = query.size(1), d_k = query.size(2), d_v = values.size(2);
  const Heads heads{h, d_k, d_v, static_cast<float>(1.0 / std::sqrt(static_cast<double>(d_k)))};
  const auto q = query.flatten(1);  // of which the rows may lie apart
  auto output = torch::empty({rows, h, d_v}, q.options());
  const auto* first_query = q.const_data_ptr<float>();
  const auto *first_key = keys.const_data_ptr<Number>(), *first_value = values.const_data_ptr<Number>();
  const auto* first_place = seen.places.const_data_ptr<int64_t>();
  auto* first_output = output.mutable_data_ptr<float>();
  const int64_t row_work = seen.lists.positions() * h * (d_k + d_v) / rows;
  at::parallel_for(0, rows, std::max<int64_t>(1, kGrain / row_work), [&](int64_t begin, int64_t end) {
    std::vector<float> weights(static_cast<size_t>(h * whole_lanes(seen.lists.longest())));
    for (int64_t row = begin; row < end; ++row) {
      const auto list = static_cast<size_t>(row);
      attend_row(
          first_query + row * q.stride(0),
          Seen<Number>{first_key, first_value, first_place + seen.lists.offsets()[list], seen.lists.lengths()[list]},
          heads, weights.data(), first_output + row * h * d_v);
    }
  });
  return output;
}

bool has_kernel(const torch::Tensor& query, const torch::Tensor& values) {
  return uses_fused_kernels() && query.device().is_cpu() && query.scalar_type() == torch::kFloat &&
         (values.scalar_type() == torch::kFloat || values.scalar_type() == torch::kBFloat16) &&
         query.size(2) % kLanes == 0 && values.size(2) % kLanes == 0;
}

}  // namespace

void put_rows(const torch::Tensor& cache, const torch::Tensor& places, const torch::Tensor& rows) {
  const auto from = rows.flatten(1), to = cache.flatten(1);  // of which the rows may lie apart
  if (!uses_fused_kernels() || !from.device().is_cpu()) {
    to.index_copy_(0, places, from);
    return;
  }
  const auto size = static_cast<int64_t>(from.element_size());
  const auto* place = places.const_data_ptr<int64_t>();
  const auto* row = static_cast<const std::byte*>(from.const_data_ptr());
  auto* first = static_cast<std::byte*>(to.mutable_data_ptr());
  for (int64_t i = 0; i < from.size(0); ++i) {
    std::copy_n(row + i * from.stride(0) * size, from.size(1) * size, first + place[i] * to.stride(0) * size);
  }
}

torch::Tensor cached_attention(const torch::Tensor& query, const torch::Tensor& keys, const torch::Tensor& values,
                               const PlaceLists& seen) {
  TORCH_CHECK(query.size(0) == seen.lists.sentences() && seen.places.size(0) == seen.lists.positions(), query.sizes(),
              " queries for ", seen.lists.sentences(), " lists of ", seen.places.sizes(), " places");
  if (has_kernel(query, values)) {
    return values.scalar_type() == torch::kFloat ? fused_cached_attention<float>(query, keys, values, seen)
                                                 : fused_cached_attention<c10::BFloat16>(query, keys, values, seen);
  }
  const auto gathered = [&](const torch::Tensor& cache) {  // [rows, h, longest, width]
    return seen.lists.pad(cache.index_select(0, seen.places).to(query.scalar_type())).transpose(1, 2);
  };
  const auto mask = seen.lists.mask().unsqueeze(1).unsqueeze(1);  // [rows, 1, 1, longest]
  return torch::scaled_dot_product_attention(query.unsqueeze(2), gathered(keys), gathered(values), mask).squeeze(2);
}

}  // namespace transformer
