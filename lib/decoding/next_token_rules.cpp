#include "decoding/next_token_rules.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ops/to_device.h"

namespace transformer {
namespace {

bool contains(const std::vector<TokenId>& tokens, TokenId token) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

}  // namespace

void NextTokenRules::allow_only(std::vector<TokenId> tokens) {
  if (only_) std::erase_if(tokens, [&](TokenId token) { return !contains(*only_, token); });
  only_ = std::move(tokens);
}

bool NextTokenRules::is_banned(TokenId token) const { return contains(banned_, token); }

std::optional<std::vector<TokenId>> NextTokenRules::allowed() const {
  if (!only_) return std::nullopt;
  std::vector<TokenId> tokens = *only_;
  std::erase_if(tokens, [&](TokenId token) { return is_banned(token); });
  return tokens;
}

bool NextTokenRules::permits_none(int64_t vocabulary_size) const {
  if (const auto tokens = allowed()) return tokens->empty();
  const std::set<TokenId> banned(banned_.begin(), banned_.end());
  return std::ssize(banned) >= vocabulary_size;
}

void NextTokenRules::force(TokenId token) {
  allow_only({token});
  is_forced_ = true;
}

double NextTokenRules::adjusted(TokenId token, double log_prob) const {
  for (const Factor& factor : factors_) log_prob *= factor.token == token ? factor.value : 1;
  for (const Bonus& bonus : bonuses_) log_prob += bonus.token == token ? bonus.value : 0;
  return log_prob;
}

torch::Tensor apply_rules(torch::Tensor log_probs, std::span<const NextTokenRules> rules) {
  std::vector<int64_t> restricted_rows;  // indices of rows
  // Indices of elements, in all rows one after another.
  std::vector<int64_t> allowed, banned, changed, scaled;
  std::vector<float> bonuses, factors;
  int64_t row = 0;
  for (const NextTokenRules& of_row : rules) {
    const int64_t first = row * log_probs.size(1);
    if (const auto only = of_row.allowed()) {
      restricted_rows.push_back(row);
      for (const TokenId token : *only) allowed.push_back(first + token);
    } else {
      for (const TokenId token : of_row.banned()) banned.push_back(first + token);
    }
    for (const auto& bonus : of_row.bonuses()) {
      changed.push_back(first + bonus.token);
      bonuses.push_back(static_cast<float>(bonus.value));
    }
    for (const auto& factor : of_row.factors()) {
      scaled.push_back(first + factor.token);
      factors.push_back(static_cast<float>(factor.value));
    }
    ++row;
  }
  const auto device = log_probs.device();
  const auto all_rows = log_probs.view(-1);  // [rows * vocab]
  if (!scaled.empty()) {
    const auto indices = to_device(scaled, device);
    const auto scaled_log_probs = all_rows.index_select(0, indices) * to_device(torch::tensor(factors), device);
    all_rows.index_copy_(0, indices, scaled_log_probs);
  }
  if (!changed.empty()) all_rows.index_add_(0, to_device(changed, device), to_device(torch::tensor(bonuses), device));
  if (!restricted_rows.empty()) {
    const auto indices = to_device(allowed, device);
    const auto kept = all_rows.index_select(0, indices);
    log_probs.index_fill_(0, to_device(restricted_rows, device), kImpossible);
    all_rows.index_copy_(0, indices, kept);
  }
  if (!banned.empty()) all_rows.index_fill_(0, to_device(banned, device), kImpossible);
  return log_probs;
}

}  // namespace transformer
