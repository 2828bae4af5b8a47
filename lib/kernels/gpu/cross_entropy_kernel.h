#pragma once

#include <cmath>

#include "kernels/gpu/block.h"
#include "kernels/gpu/logit_sums.h"

namespace transformer::gpu {

/// Label-smoothed cross entropy (§5.4), a row in each block. Writes the loss of each row and, if `needs_gradient`,
/// overwrites the logits with its gradient with respect to them.
struct CrossEntropy {
  int64_t rows;
  int vocabulary_size;
  float eps_ls;
  bool needs_gradient;              // if false, the logits are not changed
  Elements logits;                  // [rows, vocabulary_size]
  const int64_t* targets;           // [rows]
  float* losses;                    // [rows]
  float* negative_log_likelihoods;  // [rows]: -log p(target), without label smoothing
};

template <class Element, int n>
struct CrossEntropyKernel {
  CrossEntropy a;

  template <class Block>
  TRANSFORMER_GPU void operator()(Block& block) const {
    const int64_t row = block.index(), target = a.targets[row];
    auto* logits = static_cast<Element*>(a.logits.data) + row * a.vocabulary_size;
    const float target_logit = static_cast<float>(logits[target]);
    const LogitSums sums = sum_logits<n>(block, logits, a.vocabulary_size);
    const float logsumexp = sums.logsumexp(), nll = logsumexp - target_logit;
    const float share = a.eps_ls / static_cast<float>(a.vocabulary_size);
    block.once([&] {
      a.negative_log_likelihoods[row] = nll;
      a.losses[row] = (1 - a.eps_ls) * nll + a.eps_ls * logsumexp - share * sums.sum;
    });
    if (!a.needs_gradient) return;
    block.each(a.vocabulary_size / n, [&](int vector) {
      const int first = vector * n;
      const Floats<n> values = load<n>(logits + first);
      store(logits + first, generate<n>([&](int i) {
              return expf(values[i] - logsumexp) - share - (first + i == target ? 1 - a.eps_ls : 0.0f);
            }));
    });
  }
};

template <class Launcher>
void cross_entropy(const CrossEntropy& a) {
  with_type_of(a.logits, [&]<class Element>(Element*) {
    with_vector_size(a.vocabulary_size, [&]<int n>(std::integral_constant<int, n>) {
      Launcher::launch(CrossEntropyKernel<Element, n>{a}, {a.rows, threads_for(a.vocabulary_size, n), 0});
    });
  });
}

}  // namespace transformer::gpu
