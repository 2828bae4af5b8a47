#include "decoding/best_continuations.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "catch.h"
#include "tensors.h"

namespace transformer {
namespace {

using Tokens = std::vector<TokenId>;
using Lists = std::vector<std::optional<Tokens>>;

constexpr int64_t kNumTokens = 40;

/// A step of four hypotheses. Two are restricted to lists. None may end yet (token 3) or continue with token 0, and the
/// last one may not continue with some others, and likes or dislikes others.
struct RestrictedStep {
  const Lists lists = {Tokens{7, 0, 38, 20, 3}, std::nullopt, Tokens{5}, std::nullopt};
  const Tokens banned = {11, 12, 13, 14, 15, 16, 17, 18};
  const std::vector<NextTokenRules::Bonus> bonuses = {{20, 100}, {21, -100}, {12, 50}, {22, 0.125}};
  const std::vector<NextTokenRules::Factor> factors = {{22, 2}, {23, 0.0078125}, {24, 50}, {13, 0.0078125}};
  std::vector<NextTokenRules> rules;
  torch::Tensor logits;  // [4, vocab], exact in bf16, no two of a row equal

  RestrictedStep() {
    torch::manual_seed(1);
    std::vector<torch::Tensor> rows;
    for (size_t i = 0; i < lists.size(); ++i) rows.push_back(torch::randperm(kNumTokens).to(torch::kFloat) / 4);
    logits = torch::stack(rows);
    for (size_t i = 0; i < lists.size(); ++i) {
      NextTokenRules& of_row = rules.emplace_back();
      of_row.ban({0, 3});
      if (lists[i]) of_row.allow_only(*lists[i]);
      if (i + 1 < lists.size()) continue;
      of_row.ban(banned);
      for (const auto& [token, value] : bonuses) of_row.add(token, value);
      for (const auto& [token, value] : factors) of_row.scale(token, value);
    }
  }

  Tokens permitted(size_t row) const {
    Tokens all(kNumTokens);
    std::iota(all.begin(), all.end(), 0);
    Tokens tokens = lists[row].value_or(all);
    std::erase_if(tokens, [&](TokenId token) {
      const bool is_banned = std::find(banned.begin(), banned.end(), token) != banned.end();
      return token == 0 || token == 3 || (row + 1 == lists.size() && is_banned);
    });
    return tokens;
  }
  /// The row's scores with what is added to them; fp64.
  torch::Tensor with_bonuses(size_t row, const torch::Tensor& scores) const {
    auto sums = scores.to(torch::kDouble).clone();
    if (row + 1 == lists.size()) {
      for (const auto& [token, value] : factors) sums[token] *= value;
      for (const auto& [token, value] : bonuses) sums[token] += value;
    }
    return sums;
  }
};

}  // namespace

TEST_CASE("continuations are the most likely permitted tokens, in every form", "[gpu]") {
  const auto form = GENERATE(Form::plain, Form::cpu, Form::gpu);
  const auto type = GENERATE(torch::kFloat, torch::kBFloat16);
  const int64_t count = GENERATE(1, 2, 1000);
  INFO("form " << static_cast<int>(form) << ", " << type << ", count " << count);
  std::optional<PlainOperations> plain;
  std::optional<GpuForm> gpu;
  if (form == Form::plain) plain.emplace();
  if (form == Form::gpu) gpu.emplace();
  const RestrictedStep step;
  const auto logits = step.logits.to(form == Form::gpu ? GpuForm::device() : torch::kCPU, type);
  const auto continuations = best_continuations(logits, step.rules, count);
  const auto log_probs = torch::log_softmax(step.logits.to(torch::kDouble), 1);
  REQUIRE(continuations.size() == step.lists.size());
  for (size_t row = 0; row < continuations.size(); ++row) {
    INFO("row " << row);
    const auto of_row = step.with_bonuses(row, log_probs[static_cast<int64_t>(row)]);
    Tokens expected = step.permitted(row);
    std::sort(expected.begin(), expected.end(),
              [&](TokenId a, TokenId b) { return of_row[a].item<double>() > of_row[b].item<double>(); });
    expected.resize(std::min(expected.size(), static_cast<size_t>(count)));
    REQUIRE(continuations[row].size() == expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      CHECK(continuations[row][i].token == expected[i]);
      CHECK(continuations[row][i].log_prob == Approx(of_row[expected[i]].item<double>()).margin(1e-4));
    }
  }
}

TEST_CASE("continuations of rows with many banned tokens are the most likely others, with the same log-probabilities",
          "[gpu]") {
  static constexpr int64_t kMany = 500, kRows = 3;
  const auto form = GENERATE(Form::plain, Form::cpu, Form::gpu);
  std::optional<PlainOperations> plain;
  std::optional<GpuForm> gpu;
  if (form == Form::plain) plain.emplace();
  if (form == Form::gpu) gpu.emplace();
  torch::manual_seed(2);
  const auto logits = torch::randn({kRows, kMany}).to(form == Form::gpu ? GpuForm::device() : torch::kCPU);
  const auto log_probs = torch::log_softmax(logits.cpu().to(torch::kDouble), 1);
  std::vector<NextTokenRules> rules(kRows);
  for (TokenId token = 0; token < kMany - 3; ++token) rules[0].ban(token);  // fewer are left than are asked for
  for (TokenId token = 0; token < kMany; token += 2) rules[1].ban(token);
  rules[1].add(7, 20);
  rules[2].allow_only({4, 5});
  const auto found = best_continuations(logits, rules, 8);
  REQUIRE(found.size() == kRows);
  CHECK(found[0].size() == 3);
  CHECK(found[1].size() == 8);
  CHECK(found[1].front().token == 7);
  CHECK(found[2].size() == 2);
  for (size_t row = 0; row < kRows; ++row) {
    for (size_t i = 0; i < found[row].size(); ++i) {
      const auto& [token, log_prob] = found[row][i];
      CHECK_FALSE(rules[row].is_banned(token));
      const double expected = log_probs[static_cast<int64_t>(row)][token].item<double>();
      CHECK(log_prob == Approx(rules[row].adjusted(token, expected)).margin(1e-4));
      if (i > 0) CHECK(found[row][i - 1].log_prob >= log_prob);
    }
  }
  // The eighth best of row 1 is no less likely than any token that is not listed.
  auto others = log_probs[1].clone();
  for (TokenId token = 0; token < kMany; token += 2) others[token] = -100;
  for (const auto& continuation : found[1]) others[continuation.token] = -100;
  CHECK(others.max().item<double>() <= found[1].back().log_prob + 1e-4);
}

TEST_CASE("many tokens that one row bans change no digit of another row's continuations", "[gpu]") {
  static constexpr int64_t kMany = 500;
  const auto form = GENERATE(Form::plain, Form::cpu, Form::gpu);
  std::optional<PlainOperations> plain;
  std::optional<GpuForm> gpu;
  if (form == Form::plain) plain.emplace();
  if (form == Form::gpu) gpu.emplace();
  torch::manual_seed(3);
  const auto logits = torch::randn({20, kMany}).to(form == Form::gpu ? GpuForm::device() : torch::kCPU);
  std::vector<NextTokenRules> rules(20);
  for (NextTokenRules& of_row : rules) of_row.ban({0, 2, 4, 6});
  const auto alone = best_continuations(logits, rules, 8);
  for (TokenId token = 0; token < kMany; token += 2) rules.back().ban(token);
  const auto beside = best_continuations(logits, rules, 8);
  for (size_t row = 0; row + 1 < rules.size(); ++row) {
    REQUIRE(beside[row].size() == alone[row].size());
    for (size_t i = 0; i < alone[row].size(); ++i) {
      CHECK(beside[row][i].token == alone[row][i].token);
      CHECK(beside[row][i].log_prob == alone[row][i].log_prob);
    }
  }
}

TEST_CASE("rules change the log-probabilities of the tokens that they name, on every device", "[gpu]") {
  const auto device = GENERATE(false, true) ? GpuForm::device() : torch::Device(torch::kCPU);
  const RestrictedStep step;
  const auto copy = step.logits.to(device, torch::kFloat, /*non_blocking=*/false, /*copy=*/true);
  const auto masked = apply_rules(copy, step.rules).cpu();
  const auto expected = torch::full_like(step.logits, kImpossible);
  for (size_t i = 0; i < step.lists.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    const auto scores = step.with_bonuses(i, step.logits[row]);
    for (const TokenId token : step.permitted(i)) expected[row][token] = scores[token];
  }
  CHECK(torch::equal(masked, expected));
}

}  // namespace transformer
