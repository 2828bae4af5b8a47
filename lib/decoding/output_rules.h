#pragma once

#include <torch/types.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "decoding/search_constraint.h"

namespace transformer {

inline constexpr double kImpossible = -std::numeric_limits<double>::infinity();

/// The tokens that a live hypothesis has generated so far.
struct PartialOutput {
  int64_t sentence_id;
  const std::vector<int64_t>* tokens;
};

/// The tokens that may follow a partial output: those in `only`, or, without it, all that are not in `banned`.
struct PermittedTokens {
  std::optional<std::vector<int64_t>> only;
  std::vector<int64_t> banned;

  bool bans(int64_t token) const { return std::find(banned.begin(), banned.end(), token) != banned.end(); }
};

/// The rules that every output of a search follows.
struct OutputRules {
  int64_t begin, end;           // ids of the begin and end symbols
  std::vector<int64_t> banned;  // ids of tokens that never occur in an output
  const SearchConstraint* constraint = nullptr;
  int64_t min_length = 1;  // tokens, end symbol included
};

/// What the rules permit after each of the outputs.
std::vector<PermittedTokens> permitted_tokens(const OutputRules& rules, const std::vector<PartialOutput>& outputs);

/// Sets the log-probabilities of the tokens that the rules do not permit to -infinity, in place: log_probs
/// [rows, vocab], contiguous, with a row for each partial output. Does not wait for a GPU. Returns log_probs.
torch::Tensor mask_log_probs(torch::Tensor log_probs, const OutputRules& rules,
                             const std::vector<PartialOutput>& outputs);

}  // namespace transformer
