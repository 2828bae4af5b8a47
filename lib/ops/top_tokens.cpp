#include "ops/top_tokens.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/fused.h"
#include "ops/vector_math.h"

namespace transformer {
namespace {

constexpr float kLeast = -std::numeric_limits<float>::infinity();
constexpr int64_t kBlock = 1024;  // numbers that stay in the first cache
constexpr int64_t kChunk = 64;    // of which so many are looked through one by one, where one of them is large enough

/// The largest numbers so far with their places; of equal ones the first.
struct Largest {
  float* values;  // [count], largest first
  int64_t* places;
  int64_t count;

  float least() const { return values[count - 1]; }
  void insert(float value, int64_t place) const {
    int64_t at = count - 1;
    for (; at > 0 && values[at - 1] < value; --at) {
      values[at] = values[at - 1];
      places[at] = places[at - 1];
    }
    values[at] = value;
    places[at] = place;
  }
};

[[gnu::always_inline]] inline float largest_in(const float* x, int64_t count) {
  Floats largest, values;
  load(largest, x);
  for (int64_t j = kLanes; j < count; j += kLanes) {
    load(values, x + j);
    keep_larger(largest, values);
  }
  return largest_of(largest);
}

/// Returns the log of the sum of e^x over x [vocab].
TRANSFORMER_FOR_EACH_PROCESSOR float top_of_row(const float* row, int64_t vocab, const Largest& top) {
  std::fill(top.values, top.values + top.count, kLeast);
  std::fill(top.places, top.places + top.count, int64_t{0});
  float rest[kBlock];  // the last block, filled up
  float largest = kLeast, sum = 0;
  for (int64_t first = 0; first < vocab; first += kBlock) {
    const int64_t count = std::min(kBlock, vocab - first);
    const float* block = row + first;
    int64_t whole = count;
    if (count % kChunk != 0) {
      whole = (count + kChunk - 1) / kChunk * kChunk;
      std::copy(block, block + count, rest);
      std::fill(rest + count, rest + whole, kLeast);
      block = rest;
    }
    const float largest_here = largest_in(block, whole);
    if (largest_here == kLeast) continue;
    if (largest_here > largest) {
      sum *= std::exp(largest - largest_here);
      largest = largest_here;
    }
    Floats sums = {}, values;
    for (int64_t j = 0; j < whole; j += kLanes) {
      load(values, block + j);
      __builtin_prefetch(row + first + kBlock + j);  // the next block's
      values -= largest;
      exponential(values);
      sums += values;
    }
    sum += sum_of(sums);
    if (largest_here <= top.least()) continue;
    for (int64_t chunk = 0; chunk < whole; chunk += kChunk) {
      if (largest_in(block + chunk, kChunk) <= top.least()) continue;
      for (int64_t j = chunk; j < chunk + kChunk; ++j) {
        if (block[j] > top.least()) top.insert(block[j], first + j);
      }
    }
  }
  return largest + std::log(sum);
}

TopTokens fused_top_tokens(const torch::Tensor& logits, int64_t count) {
  const int64_t rows = logits.size(0), vocab = logits.size(1);
  TopTokens top{torch::empty({rows, count}, torch::kLong), torch::empty({rows, count}), torch::empty({rows})};
  const auto* logit = logits.const_data_ptr<float>();
  auto* token = top.tokens.mutable_data_ptr<int64_t>();
  auto* log_prob = top.log_probs.mutable_data_ptr<float>();
  auto* log_sum = top.log_sums.mutable_data_ptr<float>();
  at::parallel_for(0, rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      float* values = log_prob + row * count;
      log_sum[row] = top_of_row(logit + row * vocab, vocab, {values, token + row * count, count});
      for (int64_t i = 0; i < count; ++i) values[i] -= log_sum[row];
    }
  });
  return top;
}

}  // namespace

TopTokens top_tokens(const torch::Tensor& logits, int64_t count) {
  count = std::min(count, logits.size(1));
  const bool has_kernel = uses_fused_kernels() && logits.device().is_cpu() && logits.is_contiguous() &&
                          logits.scalar_type() == torch::kFloat;
  if (has_kernel) return fused_top_tokens(logits, count);
  const auto log_sums = logits.logsumexp(1);
  const auto [values, tokens] = logits.topk(count, 1);
  return {tokens, values - log_sums.unsqueeze(1), log_sums};
}

}  // namespace transformer
