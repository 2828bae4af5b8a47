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
  virtual std::optional<std::vector<int64_t>> allowed(size_t sentence, const std::vector<int64_t>& tokens) const = 0;
};

/// What every output keeps to.
struct OutputRules {
  int64_t begin, end;          // ids of the symbols
  std::vector<int64_t> never;  // ids that no output may have
  const SearchConstraint* constraint = nullptr;
};

/// A hypothesis as a constraint looks at it.
struct ConstrainedRow {
  size_t sentence;
  const std::vector<int64_t>* tokens;
};

/// log_probs [rows, vocab], with -infinity for what the rules do not allow. May write into log_probs.
torch::Tensor constrained(const torch::Tensor& log_probs, const OutputRules& rules,
                          const std::vector<ConstrainedRow>& rows);

/// Outputs that begin with given tokens.
class PrefixConstraint : public SearchConstraint {
 public:
  /// One beginning for each sentence; an empty one leaves it free.
  explicit PrefixConstraint(std::vector<std::vector<int64_t>> prefixes) : prefixes_(std::move(prefixes)) {}

  std::optional<std::vector<int64_t>> allowed(size_t sentence, const std::vector<int64_t>& tokens) const override;

 private:
  std::vector<std::vector<int64_t>> prefixes_;
};

}  // namespace transformer
