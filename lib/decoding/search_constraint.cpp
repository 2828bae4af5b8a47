#include "decoding/search_constraint.h"

#include <algorithm>

namespace transformer {

torch::Tensor constrained(const torch::Tensor& log_probs, const OutputRules& rules,
                          const std::vector<ConstrainedRow>& rows) {
  for (const int64_t token : rules.never) log_probs.select(1, token).fill_(kImpossible);
  if (rules.constraint == nullptr) return log_probs;
  const auto forbidden = torch::zeros(log_probs.sizes(), torch::kFloat);
  const int64_t vocab = log_probs.size(1);
  auto* row = forbidden.mutable_data_ptr<float>();
  for (const auto& [sentence, tokens] : rows) {
    if (const auto allowed = rules.constraint->allowed(sentence, *tokens)) {
      std::fill(row, row + vocab, static_cast<float>(kImpossible));
      for (const int64_t token : *allowed) row[token] = 0;
    }
    row += vocab;
  }
  return log_probs + forbidden.to(log_probs.device());
}

std::optional<std::vector<int64_t>> PrefixConstraint::allowed(size_t sentence,
                                                              const std::vector<int64_t>& tokens) const {
  const auto& prefix = prefixes_[sentence];
  if (tokens.size() >= prefix.size()) return std::nullopt;
  return std::vector{prefix[tokens.size()]};
}

}  // namespace transformer
