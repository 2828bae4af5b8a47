#include "ops/top_tokens.h"

#include <limits>
#include <optional>

#include "catch.h"
#include "tensors.h"

namespace transformer {
TEST_CASE("top tokens are the largest log-probabilities, in every form", "[gpu]") {
  const int64_t vocab = GENERATE(1, 5, 64, 1000, 1024, 1025, 37001), count = GENERATE(1, 2, 11);
  INFO("vocabulary " << vocab << ", count " << count);
  torch::manual_seed(vocab);
  auto logits = 4 * torch::randn({3, vocab});
  logits[1] += 300;  // no exponential of these fits a float
  if (vocab > 4) logits[2].slice(0, 0, vocab - 4) = -std::numeric_limits<float>::infinity();
  const auto expected = torch::log_softmax(logits.to(torch::kDouble), 1);
  const auto [values, tokens] = expected.topk(std::min(count, vocab), 1);
  for (const Form form : {Form::plain, Form::cpu, Form::gpu}) {
    std::optional<PlainOperations> plain;
    std::optional<GpuForm> gpu;
    if (form == Form::plain) plain.emplace();
    if (form == Form::gpu) gpu.emplace();
    const TopTokens top = top_tokens(logits.to(form == Form::gpu ? GpuForm::device() : torch::kCPU), count);
    REQUIRE(top.tokens.sizes() == tokens.sizes());
    for (int64_t row = 0; row < 3; ++row) {
      const auto found = top.tokens[row].cpu();
      CHECK(std::get<0>(torch::_unique(found)).size(0) == found.size(0));
      for (int64_t i = 0; i < tokens.size(1); ++i) {
        const double value = values[row][i].item<double>();
        if (std::isinf(value)) {
          CHECK(std::isinf(top.log_probs[row][i].item<double>()));
        } else {
          CHECK(top.tokens[row][i].item<int64_t>() == tokens[row][i].item<int64_t>());
          CHECK(top.log_probs[row][i].item<double>() == Approx(value).margin(1e-4));
        }
      }
    }
    CHECK(max_difference(top.logsumexp, logits.to(torch::kDouble).logsumexp(1)) < 1e-4);
  }
}

TEST_CASE("of equal logits the first tokens come first", "[gpu]") {
  std::optional<GpuForm> gpu;
  if (GENERATE(false, true)) gpu.emplace();
  auto logits = torch::zeros({2, 300});
  const auto largest = torch::tensor({4, 64, 290});  // of different threads of a GPU
  logits[1].index_fill_(0, largest, 1);
  const auto top = top_tokens(logits.to(gpu ? GpuForm::device() : torch::kCPU), 3);
  CHECK(torch::equal(top.tokens.cpu(), torch::stack({torch::tensor({0, 1, 2}), largest})));
}

TEST_CASE("top tokens of logits in bf16 and fp16 are those of the same logits in fp32", "[gpu]") {
  const auto type = GENERATE(torch::kBFloat16, torch::kHalf);
  const int64_t vocab = GENERATE(64, 1025);
  torch::manual_seed(vocab);
  const auto logits = (4 * torch::randn({5, vocab})).to(type);  // many are equal
  const TopTokens expected = top_tokens(logits.to(torch::kFloat), 9);
  const GpuForm gpu;
  const TopTokens top = top_tokens(logits.to(GpuForm::device()), 9);
  CHECK(torch::equal(top.tokens.cpu(), expected.tokens));
  CHECK(max_difference(top.log_probs, expected.log_probs) < 1e-5);
  CHECK(max_difference(top.logsumexp, expected.logsumexp) < 1e-5);
}

TEST_CASE("a NaN logit makes its row's log-probabilities NaN, and the token ids stay valid", "[gpu]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::optional<GpuForm> gpu;
  if (GENERATE(false, true)) gpu.emplace();
  auto logits = torch::ones({3, 70});
  logits[0][GENERATE(0, 3, 69)] = nan;
  logits[1] = nan;
  const TopTokens top = top_tokens(logits.to(gpu ? GpuForm::device() : torch::kCPU), 5);
  CHECK(top.log_probs.cpu().slice(0, 0, 2).isnan().all().item<bool>());
  CHECK(top.log_probs.cpu()[2].isfinite().all().item<bool>());
  CHECK(top.tokens.cpu().ge(0).logical_and(top.tokens.cpu().lt(70)).all().item<bool>());
}

}  // namespace transformer
