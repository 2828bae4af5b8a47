#include "decoding/best_continuations.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "catch.h"
#include "tensors.h"

namespace transformer {
namespace {

using Tokens = std::vector<int64_t>;
using Lists = std::vector<std::optional<Tokens>>;

/// The sentence with id i may continue with the tokens of the list with index i.
class ListConstraint : public SearchConstraint {
 public:
  explicit ListConstraint(Lists lists) : lists_(std::move(lists)) {}

  std::optional<Tokens> allowed(int64_t sentence_id, const Tokens&) const override {
    return lists_[static_cast<size_t>(sentence_id)];
  }

 private:
  const Lists lists_;
};

constexpr int64_t kNumTokens = 40;

/// A step in which each of four sentences has an output of one token. Two are restricted to lists. None may end yet
/// (token 3) or continue with token 0.
struct RestrictedStep {
  const Lists lists = {Tokens{7, 0, 38, 20, 3}, std::nullopt, Tokens{5}, std::nullopt};
  const ListConstraint constraint{lists};
  const OutputRules rules{.begin = 2, .end = 3, .banned = {0}, .constraint = &constraint, .min_length = 3};
  const Tokens output = {9};
  const std::vector<PartialOutput> outputs = {{0, &output}, {1, &output}, {2, &output}, {3, &output}};
  torch::Tensor logits;  // [4, vocab], exact in bf16, no two of a row equal

  RestrictedStep() {
    torch::manual_seed(1);
    std::vector<torch::Tensor> rows;
    for (size_t i = 0; i < lists.size(); ++i) rows.push_back(torch::randperm(kNumTokens).to(torch::kFloat) / 4);
    logits = torch::stack(rows);
  }

  Tokens permitted(size_t row) const {
    Tokens all(kNumTokens);
    std::iota(all.begin(), all.end(), 0);
    Tokens tokens = lists[row].value_or(all);
    std::erase_if(tokens, [](int64_t token) { return token == 0 || token == 3; });
    return tokens;
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
  const auto continuations = best_continuations(logits, step.rules, step.outputs, count);
  const auto log_probs = torch::log_softmax(step.logits.to(torch::kDouble), 1);
  REQUIRE(continuations.size() == step.lists.size());
  for (size_t row = 0; row < continuations.size(); ++row) {
    INFO("row " << row);
    const auto of_row = log_probs[static_cast<int64_t>(row)];
    Tokens expected = step.permitted(row);
    std::sort(expected.begin(), expected.end(),
              [&](int64_t a, int64_t b) { return of_row[a].item<double>() > of_row[b].item<double>(); });
    expected.resize(std::min(expected.size(), static_cast<size_t>(count)));
    REQUIRE(continuations[row].size() == expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      CHECK(continuations[row][i].token == expected[i]);
      CHECK(continuations[row][i].log_prob == Approx(of_row[expected[i]].item<double>()).margin(1e-4));
    }
  }
}

TEST_CASE("masking leaves the log-probabilities of the permitted tokens, on every device", "[gpu]") {
  const auto device = GENERATE(false, true) ? GpuForm::device() : torch::Device(torch::kCPU);
  const RestrictedStep step;
  const auto copy = step.logits.to(device, torch::kFloat, /*non_blocking=*/false, /*copy=*/true);
  const auto masked = mask_log_probs(copy, step.rules, step.outputs).cpu();
  const auto expected = torch::full_like(step.logits, kImpossible);
  for (size_t i = 0; i < step.lists.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    for (const int64_t token : step.permitted(i)) expected[row][token] = step.logits[row][token];
  }
  CHECK(torch::equal(masked, expected));
}

}  // namespace transformer
