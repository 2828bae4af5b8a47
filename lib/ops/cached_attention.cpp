#include "ops/cached_attention.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/fused.h"
#include "ops/softmax.h"
#include "ops/vector_math.h"

namespace transformer {
namespace {

constexpr int64_t kGrain = 4;  // rows worth a thread

/// The keys or values of one head.
struct HeadCache {
  const float* first;
  int64_t stride, width;

  const float* operator[](int64_t place) const { return first + place * stride; }
};

/// One row and head. `weights` [whole_lanes(count)] is for the kernel's use.
TRANSFORMER_FOR_EACH_PROCESSOR void attend_row(const float* query, const HeadCache& keys, const HeadCache& values,
                                               const int64_t* places, int64_t count, float scale, float* weights,
                                               float* output) {
  for (int64_t i = 0; i < count; ++i) {
    const float* key = keys[places[i]];
    Floats products = {}, q, k;
    for (int64_t c = 0; c < keys.width; c += kLanes) {
      load(q, query + c);
      load(k, key + c);
      products += q * k;
    }
    weights[i] = sum_of(products) * scale;
  }
  softmax(weights, count, whole_lanes(count));
  for (int64_t c = 0; c < values.width; c += kLanes) {
    Floats sum = {}, v;
    for (int64_t i = 0; i < count; ++i) {
      load(v, values[places[i]] + c);
      sum += weights[i] * v;
    }
    store(output + c, sum);
  }
}

torch::Tensor fused_cached_attention(const torch::Tensor& query, const torch::Tensor& keys, const torch::Tensor& values,
                                     const PlaceLists& seen) {
  const int64_t rows = query.size(0), h = query.size(1), d_k = query.size(2), d_v = values.size(2);
  const auto q = query.contiguous();
  auto output = torch::empty({rows, h, d_v}, q.options());
  const auto* first_query = q.const_data_ptr<float>();
  const auto* first_key = keys.const_data_ptr<float>();
  const auto* first_value = values.const_data_ptr<float>();
  const auto* first_place = seen.places.const_data_ptr<int64_t>();
  auto* first_output = output.mutable_data_ptr<float>();
  const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(d_k)));
  at::parallel_for(0, rows, kGrain, [&](int64_t begin, int64_t end) {
    std::vector<float> weights(static_cast<size_t>(whole_lanes(seen.lists.longest())));
    for (int64_t row = begin; row < end; ++row) {
      const auto list = static_cast<size_t>(row);
      for (int64_t head = 0; head < h; ++head) {
        attend_row(first_query + (row * h + head) * d_k, {first_key + head * d_k, h * d_k, d_k},
                   {first_value + head * d_v, h * d_v, d_v}, first_place + seen.lists.offsets()[list],
                   seen.lists.lengths()[list], scale, weights.data(), first_output + (row * h + head) * d_v);
      }
    }
  });
  return output;
}

bool has_kernel(const torch::Tensor& query, const torch::Tensor& values) {
  return uses_fused_kernels() && query.device().is_cpu() && query.scalar_type() == torch::kFloat &&
         query.size(2) % kLanes == 0 && values.size(2) % kLanes == 0;
}

}  // namespace

torch::Tensor cached_attention(const torch::Tensor& query, const torch::Tensor& keys, const torch::Tensor& values,
                               const PlaceLists& seen) {
  TORCH_CHECK(query.size(0) == seen.lists.sentences() && seen.places.size(0) == seen.lists.positions(), query.sizes(),
              " queries for ", seen.lists.sentences(), " lists of ", seen.places.sizes(), " places");
  if (has_kernel(query, values)) return fused_cached_attention(query, keys, values, seen);
  const auto gathered = [&](const torch::Tensor& cache) {  // [rows, h, longest, width]
    return seen.lists.pad(cache.index_select(0, seen.places)).transpose(1, 2);
  };
  const auto mask = seen.lists.mask().unsqueeze(1).unsqueeze(1);  // [rows, 1, 1, longest]
  return torch::scaled_dot_product_attention(query.unsqueeze(2), gathered(keys), gathered(values), mask).squeeze(2);
}

}  // namespace transformer
