#include "decoding/best_continuations.h"

#include <algorithm>
#include <cmath>

#include "decoding/non_finite_scores.h"
#include "ops/to_device.h"
#include "ops/top_tokens.h"

namespace transformer {
namespace {

/// The lists `only`, as a tensor: int64 [rows, longest list], on the CPU. Shorter lists, and the rows without a list,
/// are filled up with token 0. Undefined if no row has a list.
torch::Tensor listed_tokens(const std::vector<PermittedTokens>& permitted) {
  size_t longest = 0;
  for (const PermittedTokens& row : permitted) longest = std::max(longest, row.only ? row.only->size() : 0);
  if (longest == 0) return {};
  std::vector<int64_t> tokens(permitted.size() * longest);
  auto first = tokens.begin();
  for (const PermittedTokens& row : permitted) {
    if (row.only) std::copy(row.only->begin(), row.only->end(), first);
    first += static_cast<std::ptrdiff_t>(longest);
  }
  return torch::tensor(tokens).view({-1, static_cast<int64_t>(longest)});
}

/// The continuations with these tokens, the most likely one first. `log_probs[i]` belongs to `tokens[i]`.
std::vector<Continuation> listed_continuations(const std::vector<int64_t>& tokens, const double* log_probs) {
  std::vector<Continuation> listed;
  for (size_t i = 0; i < tokens.size(); ++i) listed.push_back({tokens[i], static_cast<float>(log_probs[i])});
  std::stable_sort(listed.begin(), listed.end(),
                   [](const Continuation& a, const Continuation& b) { return a.log_prob > b.log_prob; });
  return listed;
}

/// The permitted ones of a row's `num_tokens` most likely tokens, with their log-probabilities.
std::vector<Continuation> top_continuations(const PermittedTokens& permitted, const double* tokens,
                                            const double* log_probs, int64_t num_tokens) {
  std::vector<Continuation> top;
  for (int64_t i = 0; i < num_tokens; ++i) {
    const auto token = static_cast<int64_t>(tokens[i]);
    if (!permitted.bans(token)) top.push_back({token, static_cast<float>(log_probs[i])});
  }
  return top;
}

}  // namespace

std::vector<std::vector<Continuation>> best_continuations(const torch::Tensor& logits, const OutputRules& rules,
                                                          const std::vector<PartialOutput>& outputs, int64_t count) {
  const int64_t num_spare = std::ssize(rules.banned) + 1;  // for banned tokens and the end symbol
  const TopTokens top = top_tokens(logits, count + num_spare);
  const auto permitted = permitted_tokens(rules, outputs);
  // The best tokens, their log-probabilities and those of the listed tokens in one tensor, to wait for a GPU only once;
  // doubles hold all exactly.
  std::vector<torch::Tensor> columns = {top.tokens.to(torch::kDouble), top.log_probs.to(torch::kDouble)};
  if (const auto listed = listed_tokens(permitted); listed.defined()) {
    const auto listed_logits = logits.gather(1, to_device(listed, logits.device()));  // [rows, longest list]
    columns.push_back((listed_logits.to(torch::kFloat) - top.logsumexp.unsqueeze(1)).to(torch::kDouble));
  }
  const auto joined = torch::cat(columns, 1).cpu();
  const auto rows = joined.accessor<double, 2>();
  const int64_t num_top = top.tokens.size(1);
  std::vector<std::vector<Continuation>> continuations(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const double* tokens = rows[static_cast<int64_t>(i)].data();
    const double *log_probs = tokens + num_top, *listed_log_probs = log_probs + num_top;
    // A single logit that is NaN or +infinity makes all log-probabilities of its row NaN or -infinity.
    if (!std::isfinite(log_probs[0])) throw NonFiniteScores();
    auto& best = continuations[i];
    best = permitted[i].only ? listed_continuations(*permitted[i].only, listed_log_probs)
                             : top_continuations(permitted[i], tokens, log_probs, num_top);
    best.resize(std::min(best.size(), static_cast<size_t>(count)), {});
  }
  return continuations;
}

}  // namespace transformer
