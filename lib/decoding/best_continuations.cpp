#include "decoding/best_continuations.h"

#include <algorithm>
#include <span>

#include "decoding/non_finite_scores.h"
#include "ops/to_device.h"
#include "ops/top_tokens.h"

namespace transformer {
namespace {

/// The tokens whose log-probabilities are needed whether or not they are among the most likely ones: those that alone
/// are allowed, or otherwise those that the rules want or whose log-probabilities they change. None is banned.
std::vector<TokenId> listed_tokens(const NextTokenRules& rules) {
  if (auto allowed = rules.allowed()) return *std::move(allowed);
  std::vector<TokenId> listed;
  const auto add = [&](TokenId token) {
    if (std::find(listed.begin(), listed.end(), token) == listed.end() && !rules.is_banned(token)) {
      listed.push_back(token);
    }
  };
  for (const auto& bonus : rules.bonuses()) add(bonus.token);
  for (const auto& factor : rules.factors()) add(factor.token);
  for (const TokenId token : rules.wanted()) add(token);
  return listed;
}

/// The lists as a tensor: int64 [rows, longest list], on the CPU. Shorter lists are filled up with token 0. Undefined
/// if all are empty.
torch::Tensor as_tensor(const std::vector<std::vector<TokenId>>& lists) {
  size_t longest = 0;
  for (const auto& list : lists) longest = std::max(longest, list.size());
  if (longest == 0) return {};
  std::vector<int64_t> tokens(lists.size() * longest);
  auto first = tokens.begin();
  for (const auto& list : lists) {
    std::copy(list.begin(), list.end(), first);
    first += static_cast<std::ptrdiff_t>(longest);
  }
  return torch::tensor(tokens).view({-1, static_cast<int64_t>(longest)});
}

/// How many of a row's most likely tokens may be a continuation in another place.
int64_t num_changed(const NextTokenRules& rules) {
  return std::ssize(rules.bonuses()) + std::ssize(rules.factors()) + std::ssize(rules.wanted());
}

/// The `count` most likely tokens of each row and as many more as the row's rules ban.
TopTokens unbanned_top_tokens(const torch::Tensor& logits, const std::vector<NextTokenRules>& rules, int64_t count) {
  // Finding some more tokens costs less than removing banned ones from the logits, finding many does not.
  static constexpr int64_t kMaxSpare = 64;
  int64_t most_banned = 0;
  for (const NextTokenRules& of_row : rules) {
    if (!of_row.is_restricted()) most_banned = std::max(most_banned, std::ssize(of_row.banned()));
  }
  if (most_banned <= kMaxSpare) return top_tokens(logits, count + most_banned);
  std::vector<int64_t> banned;
  for (size_t row = 0; row < rules.size(); ++row) {
    if (rules[row].is_restricted()) continue;
    for (const TokenId token : rules[row].banned())
      banned.push_back(static_cast<int64_t>(row) * logits.size(1) + token);
  }
  auto remaining = logits.clone(torch::MemoryFormat::Contiguous);
  remaining.view(-1).index_fill_(0, to_device(banned, logits.device()), kVeryUnlikely);
  TopTokens top = top_tokens(remaining, count);
  // log P is that among all tokens, rounded as above: what one row bans changes no other sentence's numbers.
  top.logsumexp = top_tokens(logits, 1).logsumexp;
  top.log_probs = logits.gather(1, top.tokens).to(torch::kFloat) - top.logsumexp.unsqueeze(1);
  return top;
}

/// A row's best tokens with their log-probabilities, as top_tokens orders them, and those of its listed tokens.
struct RowScores {
  std::span<const double> top_tokens, top_log_probs, listed_log_probs;
};

std::vector<Continuation> continuations_of_row(const RowScores& scores, const NextTokenRules& rules,
                                               const std::vector<TokenId>& listed, int64_t count) {
  std::vector<Continuation> best;
  for (size_t i = 0; i < listed.size(); ++i) {
    best.push_back({listed[i], static_cast<float>(rules.adjusted(listed[i], scores.listed_log_probs[i]))});
  }
  if (!rules.is_restricted()) {
    for (size_t i = 0; i < scores.top_tokens.size(); ++i) {
      const auto token = static_cast<TokenId>(scores.top_tokens[i]);
      const bool is_listed = std::find(listed.begin(), listed.end(), token) != listed.end();
      if (!is_listed && !rules.is_banned(token)) best.push_back({token, static_cast<float>(scores.top_log_probs[i])});
    }
  }
  if (!listed.empty()) {
    std::stable_sort(best.begin(), best.end(),
                     [](const Continuation& a, const Continuation& b) { return a.log_prob > b.log_prob; });
  }
  const auto& wanted = rules.wanted();
  const auto end = best.begin() + std::min(std::ssize(best), count);
  best.erase(std::remove_if(end, best.end(),
                            [&](const Continuation& continuation) {
                              return std::find(wanted.begin(), wanted.end(), continuation.token) == wanted.end();
                            }),
             best.end());
  return best;
}

}  // namespace

std::vector<std::vector<Continuation>> best_continuations(const torch::Tensor& logits,
                                                          const std::vector<NextTokenRules>& rules, int64_t count) {
  std::vector<std::vector<TokenId>> listed;
  int64_t most_changed = 0;
  for (const NextTokenRules& of_row : rules) {
    listed.push_back(listed_tokens(of_row));
    if (!of_row.is_restricted()) most_changed = std::max(most_changed, num_changed(of_row));
  }
  const TopTokens top = unbanned_top_tokens(logits, rules, count + most_changed);
  // The best tokens, their log-probabilities and those of the listed tokens in one tensor, to wait for a GPU only once;
  // doubles hold all exactly.
  std::vector<torch::Tensor> columns = {top.tokens.to(torch::kDouble), top.log_probs.to(torch::kDouble)};
  if (const auto tokens = as_tensor(listed); tokens.defined()) {
    const auto listed_logits = logits.gather(1, to_device(tokens, logits.device()));  // [rows, longest list]
    columns.push_back((listed_logits.to(torch::kFloat) - top.logsumexp.unsqueeze(1)).to(torch::kDouble));
  }
  const auto joined = torch::cat(columns, 1).cpu();
  const auto rows = joined.accessor<double, 2>();
  const auto num_top = static_cast<size_t>(top.tokens.size(1));
  std::vector<std::vector<Continuation>> continuations;
  for (size_t i = 0; i < rules.size(); ++i) {
    const std::span row(rows[static_cast<int64_t>(i)].data(), static_cast<size_t>(joined.size(1)));
    const RowScores scores{row.first(num_top), row.subspan(num_top, num_top), row.subspan(2 * num_top)};
    check_is_finite(scores.top_log_probs[0]);
    continuations.push_back(continuations_of_row(scores, rules[i], listed[i], count));
  }
  return continuations;
}

}  // namespace transformer
