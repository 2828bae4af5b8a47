#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace transformer {

/// A live hypothesis of a beam search, extended by one token.
struct Candidate {
  size_t parent;  // index of the hypothesis among the sentence's live ones, which are ordered best first
  int64_t token;
  float token_log_prob;
  double log_prob;  // of the extended hypothesis
};

/// Called in each step of a sentence's search with its candidates, best first: the best 2 * beam_size, or one if the
/// search is greedy. Those that end with the end symbol have finished; of the others the first `beam_size` live on.
using SearchStepCallback = std::function<void(int64_t sentence, const std::vector<Candidate>& candidates)>;

}  // namespace transformer
