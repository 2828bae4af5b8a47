#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "decoding/search_model.h"

namespace transformer {

inline constexpr double kImpossible = -std::numeric_limits<double>::infinity();

/// Restricts the outputs of a search, for example to those that begin with a prefix.
class SearchConstraint {
 public:
  virtual ~SearchConstraint() = default;

  /// The tokens that may follow the partial output `tokens` of a sentence, at least one; nullopt if every token may.
  virtual std::optional<std::vector<int64_t>> allowed(int64_t sentence_id,
                                                      const std::vector<int64_t>& tokens) const = 0;
};

/// The tokens that a live hypothesis has generated so far.
struct PartialOutput {
  int64_t sentence_id;
  const std::vector<int64_t>* tokens;
};

/// The tokens that may follow a partial output: those in `only`, or, without it, all that are not in `banned`.
struct PermittedTokens {
  std::optional<std::vector<int64_t>> only;
  std::vector<int64_t> banned;
};

/// The rules that every output of a search follows.
struct OutputRules {
  int64_t begin, end;           // ids of the begin and end symbols
  std::vector<int64_t> banned;  // ids of tokens that never occur in an output
  const SearchConstraint* constraint = nullptr;
  int64_t min_length = 1;  // tokens, end symbol included

  PermittedTokens permitted_after(const PartialOutput& output) const;
};

/// Sets the log-probabilities of the tokens that the rules do not permit to -infinity, in place: log_probs
/// [rows, vocab], contiguous, with a row for each partial output. Does not wait for a GPU. Returns log_probs.
torch::Tensor mask_log_probs(torch::Tensor log_probs, const OutputRules& rules,
                             const std::vector<PartialOutput>& outputs);

/// A token that may come next, with log P(token | source, previous tokens).
struct Continuation {
  int64_t token;
  float log_prob;
};

/// The `count` most likely permitted tokens after each partial output, best first; fewer if the rules permit fewer.
/// logits [rows, vocab], with a row for each partial output. Waits for a GPU once. Throws NonFiniteScores if a row's
/// logits are not finite.
std::vector<std::vector<Continuation>> best_continuations(const torch::Tensor& logits, const OutputRules& rules,
                                                          const std::vector<PartialOutput>& outputs, int64_t count);

/// Restricts outputs to those that begin with given tokens.
class PrefixConstraint : public SearchConstraint {
 public:
  /// One prefix for each sentence; an empty one leaves the sentence unrestricted.
  explicit PrefixConstraint(std::vector<std::vector<int64_t>> prefixes) : prefixes_(std::move(prefixes)) {}

  std::optional<std::vector<int64_t>> allowed(int64_t sentence_id, const std::vector<int64_t>& tokens) const override;

 private:
  std::vector<std::vector<int64_t>> prefixes_;
};

}  // namespace transformer
