#include "kernels/cpu/top_tokens.h"

#include <ATen/Parallel.h>
#include <ATen/ceil_div.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/softmax.h"

namespace transformer::cpu {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
constexpr int64_t kBlock = 1024;  // numbers that fit the first-level cache
constexpr int64_t kChunk = 64;    // numbers that are skipped together unless the largest of them is a candidate

/// The largest numbers so far with their indices; of equal numbers the first.
struct Largest {
  float* values;  // [count], largest first
  int64_t* indices;
  int64_t count;

  float smallest() const { return values[count - 1]; }
  void insert(float value, int64_t index) const {
    int64_t at = count - 1;
    for (; at > 0 && values[at - 1] < value; --at) {
      values[at] = values[at - 1];
      indices[at] = indices[at - 1];
    }
    values[at] = value;
    indices[at] = index;
  }
};

/// Sets the indices after the first `num_found` ones to the smallest ones that are not among these; their numbers are
/// -infinity or NaN.
void fill_up(const Largest& top, int64_t num_found) {
  int64_t next = 0;
  for (int64_t i = num_found; i < top.count; ++i, ++next) {
    while (std::find(top.indices, top.indices + num_found, next) != top.indices + num_found) ++next;
    top.indices[i] = next;
  }
}

/// Fills `top`. Returns the log of the sum of e^x over the row [vocab].
template <class Floats>
[[gnu::always_inline]] inline float top_of_row_of(const float* row, int64_t vocab, const Largest& top) {
  std::fill(top.values, top.values + top.count, kMinusInfinity);
  std::fill(top.indices, top.indices + top.count, int64_t{0});
  float last_block[kBlock];  // padded with -infinity
  float largest = kMinusInfinity, sum = 0;
  for (int64_t first = 0; first < vocab; first += kBlock) {
    const int64_t count = std::min(kBlock, vocab - first);
    const float* block = row + first;
    const int64_t whole = at::round_up(count, kChunk);
    if (whole != count) {
      std::copy(block, block + count, last_block);
      std::fill(last_block + count, last_block + whole, kMinusInfinity);
      block = last_block;
    }
    const float largest_here = max_of<Floats>(block, whole);
    if (largest_here == kMinusInfinity) continue;
    if (largest_here > largest) {
      sum *= std::exp(largest - largest_here);
      largest = largest_here;
    }
    Floats sums = {}, values;
    for (int64_t j = 0; j < whole; j += kLanes<Floats>) {
      load(values, block + j);
      __builtin_prefetch(row + first + kBlock + j);  // the next block
      values -= largest;
      exponential(values);
      sums += values;
    }
    sum += horizontal_sum(sums);
    if (largest_here <= top.smallest()) continue;
    for (int64_t chunk = 0; chunk < whole; chunk += kChunk) {
      if (max_of<Floats>(block + chunk, kChunk) <= top.smallest()) continue;
      for (int64_t j = chunk; j < chunk + kChunk; ++j) {
        if (block[j] > top.smallest()) top.insert(block[j], first + j);
      }
    }
  }
  if (top.smallest() == kMinusInfinity)
    fill_up(top, std::find(top.values, top.values + top.count, kMinusInfinity) - top.values);
  return largest + std::log(sum);
}

float top_of_row(const float* row, int64_t vocab, const Largest& top) {
  return TRANSFORMER_SIMD(return top_of_row_of<Floats>(row, vocab, top));
}

}  // namespace

TopTokens top_tokens(const torch::Tensor& logits, int64_t count) {
  const int64_t rows = logits.size(0), vocab = logits.size(1);
  TopTokens top{torch::empty({rows, count}, torch::kLong), torch::empty({rows, count}), torch::empty({rows})};
  const auto* logit = logits.const_data_ptr<float>();
  auto* token = top.tokens.mutable_data_ptr<int64_t>();
  auto* log_prob = top.log_probs.mutable_data_ptr<float>();
  auto* logsumexp = top.logsumexp.mutable_data_ptr<float>();
  at::parallel_for(0, rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      float* values = log_prob + row * count;
      logsumexp[row] = top_of_row(logit + row * vocab, vocab, {values, token + row * count, count});
      for (int64_t i = 0; i < count; ++i) values[i] -= logsumexp[row];
    }
  });
  return top;
}

}  // namespace transformer::cpu
