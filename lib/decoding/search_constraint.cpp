#include "decoding/search_constraint.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "decoding/non_finite_scores.h"
#include "ops/top_tokens.h"

namespace transformer {
namespace {

bool contains(const std::vector<int64_t>& tokens, int64_t token) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

}  // namespace

PermittedTokens OutputRules::permitted_after(const PartialOutput& output) const {
  PermittedTokens permitted{.only = std::nullopt, .banned = banned};
  if (std::ssize(*output.tokens) + 1 < min_length) permitted.banned.push_back(end);
  if (constraint != nullptr) permitted.only = constraint->allowed(output.sentence, *output.tokens);
  if (permitted.only) std::erase_if(*permitted.only, [&](int64_t token) { return contains(permitted.banned, token); });
  return permitted;
}

torch::Tensor mask_log_probs(torch::Tensor log_probs, const OutputRules& rules,
                             const std::vector<PartialOutput>& outputs) {
  static constexpr auto kMasked = static_cast<float>(kImpossible);
  const int64_t vocab = log_probs.size(1);
  auto* row = log_probs.mutable_data_ptr<float>();
  for (const PartialOutput& output : outputs) {
    if (std::isnan(*row)) throw NonFiniteScores();  // a single logit that is NaN makes all log-probabilities NaN
    const PermittedTokens permitted = rules.permitted_after(output);
    if (permitted.only) {
      std::vector<std::pair<int64_t, float>> kept;
      for (const int64_t token : *permitted.only) kept.emplace_back(token, row[token]);
      std::fill(row, row + vocab, kMasked);
      for (const auto& [token, log_prob] : kept) row[token] = log_prob;
    } else {
      for (const int64_t token : permitted.banned) row[token] = kMasked;
    }
    row += vocab;
  }
  return log_probs;
}

std::vector<std::vector<Continuation>> best_continuations(const torch::Tensor& logits, const OutputRules& rules,
                                                          const std::vector<PartialOutput>& outputs, int64_t count) {
  const int64_t num_spare = std::ssize(rules.banned) + 1;  // for banned tokens and the end symbol
  const TopTokens top = top_tokens(logits, count + num_spare);
  // Tokens and log-probabilities in one tensor, to wait for a GPU only once; doubles hold both exactly.
  const auto both = torch::stack({top.tokens.to(torch::kDouble), top.log_probs.to(torch::kDouble)}).cpu();
  const auto accessor = both.accessor<double, 3>();
  const auto tokens = accessor[0], log_probs = accessor[1];
  torch::Tensor all_logits, log_sums;  // copied to the CPU if a constraint needs them
  std::vector<std::vector<Continuation>> continuations(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    if (!std::isfinite(log_probs[row][0])) throw NonFiniteScores();  // one bad logit spoils the sum over all
    auto& best = continuations[i];
    const PermittedTokens permitted = rules.permitted_after(outputs[i]);
    if (permitted.only) {
      if (!all_logits.defined()) {
        all_logits = logits.to(torch::kCPU, torch::kFloat);
        log_sums = top.log_sums.cpu();
      }
      const auto* logit = all_logits.const_data_ptr<float>() + row * all_logits.size(1);
      const float log_sum = log_sums.const_data_ptr<float>()[row];
      for (const int64_t token : *permitted.only) best.push_back({token, logit[token] - log_sum});
      std::stable_sort(best.begin(), best.end(),
                       [](const Continuation& a, const Continuation& b) { return a.log_prob > b.log_prob; });
    } else {
      for (int64_t c = 0; c < tokens.size(1); ++c) {
        const auto token = static_cast<int64_t>(tokens[row][c]);
        if (!contains(permitted.banned, token)) best.push_back({token, static_cast<float>(log_probs[row][c])});
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
