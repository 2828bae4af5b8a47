#pragma once

#include <utility>

#include "decoding/search_constraint.h"

namespace transformer {

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
