#include "decoding/prefix_constraint.h"

namespace transformer {

std::optional<std::vector<int64_t>> PrefixConstraint::allowed(int64_t sentence_id,
                                                              const std::vector<int64_t>& tokens) const {
  const auto& prefix = prefixes_[static_cast<size_t>(sentence_id)];
  if (tokens.size() >= prefix.size()) return std::nullopt;
  return std::vector{prefix[tokens.size()]};
}

}  // namespace transformer
