#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "decoding/search_model.h"

namespace transformer {

inline constexpr double kImpossible = -std::numeric_limits<double>::infinity();

/// What outputs have to look like.
class SearchConstraint {
 public:
  virtual ~SearchConstraint() = default;

  /// The tokens that may follow these ones of sentence number `sentence`, one at least; nothing where any may.
  virtual std::optional<std::vector<int64_t>> allowed(int64_t sentence, const std::vector<int64_t>& tokens) const = 0;
};

/// What every output keeps to.
struct OutputRules {
  int64_t begin, end;          // ids of the symbols
  std::vector<int64_t> never;  // ids that no output may have
  const SearchConstraint* constraint = nullptr;
  int64_t shortest = 1;  // tokens, end symbol included

  /// To end after these.
  bool is_too_short(const std::vector<int64_t>& tokens) const { return std::ssize(tokens) + 1 < shortest; }
};

/// A hypothesis as a constraint looks at it.
struct ConstrainedRow {
  int64_t sentence;
  const std::vector<int64_t>* tokens;
};

/// log_probs [rows, vocab], with -infinity for what the rules do not allow. May write into log_probs.
torch::Tensor constrained(const torch::Tensor& log_probs, const OutputRules& rules,
                          const std::vector<ConstrainedRow>& rows);

/// A token and log P of it, after what came before.
struct Continuation {
  int64_t token;
  float log_prob;
};

/// For each row of logits [rows, vocab] the `count` likeliest tokens that the rules allow, best first; fewer where
/// fewer are allowed.
std::vector<std::vector<Continuation>> best_continuations(const torch::Tensor& logits, const OutputRules& rules,
                                                          const std::vector<ConstrainedRow>& rows, int64_t count);

/// Outputs that begin with given tokens.
class PrefixConstraint : public SearchConstraint {
 public:
  /// One beginning for each sentence; an empty one leaves it free.
  explicit PrefixConstraint(std::vector<std::vector<int64_t>> prefixes) : prefixes_(std::move(prefixes)) {}

  std::optional<std::vector<int64_t>> allowed(int64_t sentence, const std::vector<int64_t>& tokens) const override;

 private:
  std::vector<std::vector<int64_t>> prefixes_;
};

}  // namespace transformer
