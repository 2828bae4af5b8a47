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
    CHECK(max_difference(top.log_sums, logits.to(torch::kDouble).logsumexp(1)) < 1e-4);
  }
}

TEST_CASE("of equal logits the first tokens come first") {
  const auto top = top_tokens(torch::zeros({1, 300}), 3);
  CHECK(torch::equal(top.tokens, torch::tensor({{0, 1, 2}})));
}

}  // namespace transformer
