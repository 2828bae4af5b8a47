#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/enum_names.h"
#include "text/special_tokens.h"

namespace transformer {

/// A live hypothesis of a beam search, extended by one token.
struct Candidate {
  /// `finished` ends with the end symbol, `live` is continued in the next step, `dropped` is neither.
  enum class State { live, finished, dropped };

  size_t parent;  // index of the hypothesis among the sentence's live ones, which are ordered best first
  TokenId token;
  float token_log_prob;
  double log_prob;  // of the extended hypothesis
  State state = State::live;
  double penalty = 0;  // that it had in the choice of candidates (BeamSearchOptions::diversity)
};

template <>
struct EnumNames<Candidate::State> {
  static constexpr std::array names = {"live", "finished", "dropped"};
};

/// Called in each step of a sentence's search with its candidates, best first: the best 2 * beam_size, or one if the
/// search is greedy. Of those that do not end with the end symbol, the first `beam_size` are live; Stopping says how
/// other rules differ, and goals of logits processors (LogitsProcessor::num_goals) let less likely ones live.
using SearchStepCallback = std::function<void(int64_t sentence_id, const std::vector<Candidate>& candidates)>;

}  // namespace transformer
