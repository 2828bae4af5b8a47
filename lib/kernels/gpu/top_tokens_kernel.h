#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/gpu/block.h"
#include "kernels/gpu/logit_sums.h"

namespace transformer::gpu {

/// The most likely tokens (TopTokens), a row of logits in each block.
struct FindTopTokens {
  int64_t rows;
  int vocabulary_size, count;
  Elements logits;   // [rows, vocabulary_size]
  int64_t* tokens;   // [rows, count]
  float* log_probs;  // [rows, count]
  float* logsumexp;  // [rows]
};

struct RankedToken {
  float logit;
  int token;

  /// Of two tokens with equal logits, the one with the lower id comes first. A NaN logit comes before no other.
  TRANSFORMER_GPU bool is_before(RankedToken other) const {
    return logit > other.logit || (logit == other.logit && token < other.token);
  }
};

struct FirstToken {
  TRANSFORMER_GPU RankedToken operator()(RankedToken a, RankedToken b) const { return b.is_before(a) ? b : a; }
};

/// Selects the tokens one after another. Each thread keeps the best token of its share of the row that has not been
/// selected yet. Each step selects the best of these, after which only the thread that held it reads its share again.
/// So the whole row is read twice: for the softmax, and for the first candidates.
template <class Element, int n>
struct TopTokensKernel {
  FindTopTokens a;
  int shares;  // of a row, at most one for each thread

  template <class Block>
  TRANSFORMER_GPU void operator()(Block& block) const {
    const int64_t row = block.index();
    const auto* logits = static_cast<const Element*>(a.logits.data) + row * a.vocabulary_size;
    const float logsumexp = sum_logits<n>(block, logits, a.vocabulary_size).logsumexp();
    block.once([&] { a.logsumexp[row] = logsumexp; });

    const int vectors = a.vocabulary_size / n;
    auto* firsts = block.template shared<RankedToken>(shares);
    const RankedToken none{-INFINITY, a.vocabulary_size};
    RankedToken last{INFINITY, -1};
    // Of the vectors `share`, `share` + `shares`, ...: the first token after `last`.
    const auto find_first = [&](int share) {
      RankedToken first = none;
      for (int vector = share; vector < vectors; vector += shares) {
        const Floats<n> values = load<n>(logits + vector * n);
        for (int i = 0; i < n; ++i) {
          const RankedToken token{values[i], vector * n + i};
          if (last.is_before(token)) first = FirstToken()(first, token);
        }
      }
      firsts[share] = first;
    };
    block.each(shares, find_first);
    for (int rank = 0; rank < a.count; ++rank) {
      last = block.reduce(shares, none, FirstToken(), [&](int share) { return firsts[share]; });
      block.once([&] {
        a.tokens[row * a.count + rank] =
            last.token < a.vocabulary_size ? last.token : 0;  // 0 if no further logit is a number
        a.log_probs[row * a.count + rank] = last.logit - logsumexp;
      });
      block.each(shares, [&](int share) {
        if (share == last.token / n % shares) find_first(share);
      });
    }
  }
};

template <class Launcher>
void top_tokens(const FindTopTokens& a) {
  with_type_of(a.logits, [&]<class Element>(Element*) {
    with_vector_size(a.vocabulary_size, [&]<int n>(std::integral_constant<int, n>) {
      const int shares = std::min(a.vocabulary_size / n, kMaxThreads);
      Launcher::launch(TopTokensKernel<Element, n>{a, shares},
                       {a.rows, threads_for(a.vocabulary_size, n), sizeof(RankedToken) * static_cast<size_t>(shares)});
    });
  });
}

}  // namespace transformer::gpu
