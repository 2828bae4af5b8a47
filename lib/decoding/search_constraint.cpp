#include "decoding/search_constraint.h"

#include <algorithm>
#include <tuple>

#include "ops/to_device.h"
#include "ops/top_tokens.h"

namespace transformer {

torch::Tensor constrained(const torch::Tensor& log_probs, const OutputRules& rules,
                          const std::vector<ConstrainedRow>& rows) {
  for (const int64_t token : rules.never) log_probs.select(1, token).fill_(kImpossible);
  for (int64_t row = 0; row < log_probs.size(0); ++row) {
    if (rules.is_too_short(*rows[static_cast<size_t>(row)].tokens)) log_probs[row][rules.end] = kImpossible;
  }
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
  return log_probs + to_device(forbidden, log_probs.device());
}

std::vector<std::vector<Continuation>> best_continuations(const torch::Tensor& logits, const OutputRules& rules,
                                                          const std::vector<ConstrainedRow>& rows, int64_t count) {
  const auto may_follow = [&](int64_t token, const std::vector<int64_t>& tokens) {
    if (token == rules.end && rules.is_too_short(tokens)) return false;
    return std::find(rules.never.begin(), rules.never.end(), token) == rules.never.end();
  };
  // As many more as may turn out forbidden.
  const TopTokens top = top_tokens(logits, count + std::ssize(rules.never) + 1);
  // All in one tensor, so that a GPU is waited for once: doubles hold tokens and log-probabilities exactly.
  const auto both = torch::stack({top.tokens.to(torch::kDouble), top.log_probs.to(torch::kDouble)}).cpu();
  const auto accessor = both.accessor<double, 3>();
  const auto tokens = accessor[0], log_probs = accessor[1];
  torch::Tensor all_logits, log_sums;  // where a constraint looks at others
  std::vector<std::vector<Continuation>> continuations(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    auto& best = continuations[i];
    const auto allowed =
        rules.constraint == nullptr ? std::nullopt : rules.constraint->allowed(rows[i].sentence, *rows[i].tokens);
    if (allowed) {
      if (!all_logits.defined()) std::tie(all_logits, log_sums) = std::tuple(logits.cpu(), top.log_sums.cpu());
      const auto* logit = all_logits.const_data_ptr<float>() + row * all_logits.size(1);
      const float log_sum = log_sums.const_data_ptr<float>()[row];
      for (const int64_t token : *allowed) {
        if (may_follow(token, *rows[i].tokens)) best.push_back({token, logit[token] - log_sum});
      }
      std::stable_sort(best.begin(), best.end(),
                       [](const Continuation& a, const Continuation& b) { return a.log_prob > b.log_prob; });
    } else {
      for (int64_t c = 0; c < tokens.size(1); ++c) {
        const auto token = static_cast<int64_t>(tokens[row][c]);
        if (may_follow(token, *rows[i].tokens)) best.push_back({token, static_cast<float>(log_probs[row][c])});
      }
    }
    best.resize(std::min(best.size(), static_cast<size_t>(count)), {});
  }
  return continuations;
}

std::optional<std::vector<int64_t>> PrefixConstraint::allowed(int64_t sentence,
                                                              const std::vector<int64_t>& tokens) const {
  const auto& prefix = prefixes_[static_cast<size_t>(sentence)];
  if (tokens.size() >= prefix.size()) return std::nullopt;
  return std::vector{prefix[tokens.size()]};
}

}  // namespace transformer
