#include "kernels/cpu/cross_entropy.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/cpu/softmax.h"

namespace transformer::cpu {
namespace {

struct RowSums {
  float logsumexp;  // log of the sum of e^logit
  float sum;        // of the logits
};

/// Copies a row to `scratch` [vocab rounded up to whole vectors] in fp32, padded with -infinity. Returns the sum of the
/// logits; `largest` becomes the largest of them.
template <class Floats, class Element>
[[gnu::always_inline]] inline float copy_logits(const Element* logits, float* scratch, int64_t vocab, float& largest) {
  static constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
  const int64_t count = round_up_to_lanes<Floats>(vocab), whole = vocab / kLanes<Floats> * kLanes<Floats>;
  std::fill(scratch + whole, scratch + count, kMinusInfinity);
  for (int64_t j = whole; j < vocab; ++j) scratch[j] = static_cast<float>(logits[j]);
  float sum = 0;
  for (int64_t j = whole; j < vocab; ++j) sum += scratch[j];
  Floats values, sums = {}, largest_values = Floats{} + kMinusInfinity;
  if (whole < count) load(largest_values, scratch + whole);
  for (int64_t j = 0; j < whole; j += kLanes<Floats>) {
    load(values, logits + j);
    store(scratch + j, values);
    maximum<Floats>(largest_values, values);
    sums += values;
  }
  largest = horizontal_max(largest_values);
  return sum + horizontal_sum(sums);
}

/// Writes softmax(logits) - share to `gradient` unless it is null.
template <class Floats, class Element, class Gradient>
[[gnu::always_inline]] inline RowSums softmax_row_of(const Element* logits, float* scratch, int64_t vocab, float share,
                                                     Gradient* gradient) {
  float largest;
  const float logit_sum = copy_logits<Floats>(logits, scratch, vocab, largest);
  const float sum = exponentiate<Floats>(scratch, largest, round_up_to_lanes<Floats>(vocab));
  const RowSums row{largest + std::log(sum), logit_sum};
  if (!gradient) return row;
  const int64_t whole = vocab / kLanes<Floats> * kLanes<Floats>;
  Floats values;
  for (int64_t j = 0; j < whole; j += kLanes<Floats>) {
    load(values, scratch + j);
    values = values / sum - share;
    store(gradient + j, values);
  }
  for (int64_t j = whole; j < vocab; ++j) gradient[j] = static_cast<Gradient>(scratch[j] / sum - share);
  return row;
}

template <class Element, class Gradient>
RowSums softmax_row(const Element* logits, float* scratch, int64_t vocab, float share, Gradient* gradient) {
  return TRANSFORMER_SIMD(return softmax_row_of<Floats>(logits, scratch, vocab, share, gradient));
}

template <class Element, class Gradient>
CrossEntropySums cross_entropy_of(const torch::Tensor& logits, const torch::Tensor& targets, double eps_ls,
                                  const torch::Tensor& gradient) {
  const int64_t rows = logits.size(0), vocab = logits.size(1);
  const double share = eps_ls / static_cast<double>(vocab);
  const auto* first = logits.const_data_ptr<Element>();
  auto* first_gradient = gradient.defined() ? gradient.mutable_data_ptr<Gradient>() : nullptr;
  const int64_t gradient_stride = gradient.defined() ? gradient.stride(0) : 0;
  const auto* target = targets.const_data_ptr<int64_t>();
  std::vector<double> losses(static_cast<size_t>(rows)), nlls(losses);
  at::parallel_for(0, rows, 1, [&](int64_t begin, int64_t end) {
    std::vector<float> scratch(static_cast<size_t>(round_up_to_lanes(vocab)));
    for (int64_t i = begin; i < end; ++i) {
      const Element* row = first + i * vocab;
      Gradient* gradient_row = first_gradient ? first_gradient + i * gradient_stride : nullptr;
      const auto target_logit = static_cast<double>(row[target[i]]);
      const RowSums sums = softmax_row(row, scratch.data(), vocab, static_cast<float>(share), gradient_row);
      const double logsumexp = sums.logsumexp, nll = logsumexp - target_logit;
      nlls[static_cast<size_t>(i)] = nll;
      losses[static_cast<size_t>(i)] = (1 - eps_ls) * nll + eps_ls * logsumexp - share * sums.sum;
      if (gradient_row) {
        gradient_row[target[i]] = static_cast<Gradient>(static_cast<float>(std::exp(-nll) - share - (1 - eps_ls)));
      }
    }
  });
  const auto total = [](const std::vector<double>& values) {
    return torch::tensor(std::accumulate(values.begin(), values.end(), 0.0), torch::kFloat);
  };
  return {total(losses), total(nlls)};
}

}  // namespace

CrossEntropySums cross_entropy_in_place(const torch::Tensor& logits, const torch::Tensor& targets, double eps_ls,
                                        const torch::Tensor& gradient) {
  if (logits.scalar_type() == torch::kBFloat16) {
    return cross_entropy_of<c10::BFloat16, c10::BFloat16>(logits, targets, eps_ls, gradient);
  }
  const bool rounded = gradient.defined() && gradient.scalar_type() == torch::kBFloat16;
  const auto compute = rounded ? cross_entropy_of<float, c10::BFloat16> : cross_entropy_of<float, float>;
  return compute(logits, targets, eps_ls, gradient);
}

}  // namespace transformer::cpu
