#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace transformer {

/// Restricts the outputs of a search, for example to those that begin with a prefix.
class SearchConstraint {
 public:
  virtual ~SearchConstraint() = default;

  /// The tokens that may follow the partial output `tokens` of a sentence, at least one; nullopt if every token may.
  virtual std::optional<std::vector<int64_t>> allowed(int64_t sentence_id,
                                                      const std::vector<int64_t>& tokens) const = 0;
};

}  // namespace transformer
