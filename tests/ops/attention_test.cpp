#include "ops/attention.h"

#include <optional>

#include "catch.h"
#include "model/sentence_attention.h"
#include "tensors.h"

namespace transformer {
namespace {

struct Case {
  std::vector<int64_t> queries, keys;
  int64_t h, d_k, d_v;
  bool causal;
};

/// The output, then the gradients by query, key and value.
std::vector<torch::Tensor> pass(const Case& c, torch::Dtype type, bool fused) {
  torch::manual_seed(1);
  const Packing queries(c.queries), keys(c.keys);
  const auto random = [&](int64_t positions, int64_t width) {
    return torch::randn({positions, c.h, width}).to(type).requires_grad_();
  };
  const auto query = random(queries.positions(), c.d_k), key = random(keys.positions(), c.d_k);
  const auto value = random(keys.positions(), c.d_v);
  std::optional<PlainOperations> plain;
  if (!fused) plain.emplace();
  const auto output =
      sentence_attention(query, key, value, queries, keys, {.causal = c.causal, .window = {}}, /*dropout=*/0.0);
  output.backward(torch::randn_like(output));
  return {output.detach(), query.grad(), key.grad(), value.grad()};
}

}  // namespace

TEST_CASE("fused attention equals the plain form, values and gradients") {
  // Odd sizes; more queries than the kernel takes at once; self-attention and attention to a memory.
  const std::vector<int64_t> many = {5, 1, 130, 33, 64}, others = {3, 70, 1, 17, 129};
  const auto c = GENERATE_COPY(values<Case>({{{1}, {1}, 1, 1, 1, false},
                                             {many, many, 3, 16, 16, true},
                                             {many, many, 2, 32, 32, false},
                                             {many, others, 2, 64, 64, false},
                                             {many, many, 2, 7, 5, true},
                                             {others, many, 1, 33, 50, false}}));
  const auto [type, tolerance] =
      GENERATE(values<std::pair<torch::Dtype, double>>({{torch::kFloat, 2e-5}, {torch::kBFloat16, 0.06}}));
  INFO("h " << c.h << ", d_k " << c.d_k << ", d_v " << c.d_v << ", causal " << c.causal << ", " << type);
  // In bf16 the plain form rounds more often, so both are held against fp32 of the same numbers.
  const auto fused = pass(c, type, true), plain = pass(c, type, false);
  for (size_t i = 0; i < fused.size(); ++i) {
    INFO("tensor " << i);
    CHECK(fused[i].scalar_type() == type);
    CHECK(max_difference(fused[i], plain[i]) < tolerance * std::max(1.0, plain[i].abs().max().item<double>()));
  }
}

TEST_CASE("fused attention keeps sentences apart and later positions unseen, exactly") {
  torch::manual_seed(1);
  const Packing packing({4, 6});
  const auto x = torch::randn({10, 2, 8});
  auto changed = x.clone();
  changed[3] += 1;  // the first sentence's last position
  const auto a = fused_attention(x, x, x, packing, packing, true);
  const auto b = fused_attention(changed, changed, changed, packing, packing, true);
  CHECK(torch::equal(a.slice(0, 0, 3), b.slice(0, 0, 3)));
  CHECK_FALSE(torch::equal(a[3], b[3]));
  CHECK(torch::equal(a.slice(0, 4), b.slice(0, 4)));
}

TEST_CASE("fused attention is the same with any number of threads") {
  torch::manual_seed(1);
  const Packing packing({40, 30, 20});
  const auto x = torch::randn({90, 4, 16});
  const int threads = torch::get_num_threads();
  const auto many = fused_attention(x, x, x, packing, packing, false);
  torch::set_num_threads(1);
  const auto one = fused_attention(x, x, x, packing, packing, false);
  torch::set_num_threads(threads);
  CHECK(torch::equal(one, many));
}

TEST_CASE("fused attention passes on what is not a number") {
  const Packing packing({3});
  auto x = torch::randn({3, 1, 16});
  x[2][0][0] = std::numeric_limits<float>::quiet_NaN();
  CHECK(fused_attention(x, x, x, packing, packing, false).isnan().all().item<bool>());
}

}  // namespace transformer
