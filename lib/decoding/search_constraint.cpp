#include "decoding/search_constraint.h"

#include <algorithm>
#include <cmath>

#include "decoding/non_finite_scores.h"
#include "ops/to_device.h"
#include "ops/top_tokens.h"

namespace transformer {
namespace {

bool contains(const std::vector<int64_t>& tokens, int64_t token) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

std::vector<PermittedTokens> permitted_tokens(const OutputRules& rules, const std::vector<PartialOutput>& outputs) {
  std::vector<PermittedTokens> permitted;
  for (const PartialOutput& output : outputs) permitted.push_back(rules.permitted_after(output));
  return permitted;
}

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

}  // namespace

PermittedTokens OutputRules::permitted_after(const PartialOutput& output) const {
  PermittedTokens permitted{.only = std::nullopt, .banned = banned};
  if (std::ssize(*output.tokens) + 1 < min_length) permitted.banned.push_back(end);
  if (constraint != nullptr) permitted.only = constraint->allowed(output.sentence_id, *output.tokens);
  if (permitted.only) std::erase_if(*permitted.only, [&](int64_t token) { return contains(permitted.banned, token); });
  return permitted;
}

torch::Tensor mask_log_probs(torch::Tensor log_probs, const OutputRules& rules,
                             const std::vector<PartialOutput>& outputs) {
  std::vector<int64_t> restricted_rows;  // indices of rows
  std::vector<int64_t> listed, banned;   // indices of elements, in all rows one after another
  int64_t row = 0;
  for (const PermittedTokens& permitted : permitted_tokens(rules, outputs)) {
    const int64_t first = row * log_probs.size(1);
    if (permitted.only) {
      restricted_rows.push_back(row);
      for (const int64_t token : *permitted.only) listed.push_back(first + token);
    } else {
      for (const int64_t token : permitted.banned) banned.push_back(first + token);
    }
    ++row;
  }
  const auto device = log_probs.device();
  const auto all_rows = log_probs.view(-1);  // [rows * vocab]
  if (!restricted_rows.empty()) {
    const auto indices = to_device(listed, device);
    const auto kept = all_rows.index_select(0, indices);
    log_probs.index_fill_(0, to_device(restricted_rows, device), kImpossible);
    all_rows.index_copy_(0, indices, kept);
  }
  if (!banned.empty()) all_rows.index_fill_(0, to_device(banned, device), kImpossible);
  return log_probs;
}

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
    columns.push_back((listed_logits.to(torch::kFloat) - top.log_sums.unsqueeze(1)).to(torch::kDouble));
  }
  const auto joined = torch::cat(columns, 1).cpu();
  const auto rows = joined.accessor<double, 2>();
  const int64_t num_top = top.tokens.size(1);
  std::vector<std::vector<Continuation>> continuations(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const double* tokens = rows[static_cast<int64_t>(i)].data();
    const double *log_probs = tokens + num_top, *listed_log_probs = log_probs + num_top;
    if (!std::isfinite(log_probs[0])) throw NonFiniteScores();  // one bad logit spoils the sum over all
    auto& best = continuations[i];
    if (permitted[i].only) {
      for (const int64_t token : *permitted[i].only) best.push_back({token, static_cast<float>(*listed_log_probs++)});
      std::stable_sort(best.begin(), best.end(),
                       [](const Continuation& a, const Continuation& b) { return a.log_prob > b.log_prob; });
    } else {
      for (int64_t c = 0; c < num_top; ++c) {
        const auto token = static_cast<int64_t>(tokens[c]);
        if (!contains(permitted[i].banned, token)) best.push_back({token, static_cast<float>(log_probs[c])});
      }
    }
    best.resize(std::min(best.size(), static_cast<size_t>(count)), {});
  }
  return continuations;
}

std::optional<std::vector<int64_t>> PrefixConstraint::allowed(int64_t sentence_id,
                                                              const std::vector<int64_t>& tokens) const {
  const auto& prefix = prefixes_[static_cast<size_t>(sentence_id)];
  if (tokens.size() >= prefix.size()) return std::nullopt;
  return std::vector{prefix[tokens.size()]};
}

}  // namespace transformer
