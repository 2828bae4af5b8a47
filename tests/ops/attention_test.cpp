#include "ops/attention.h"

#include <ATen/Parallel.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

#include "catch.h"
#include "ops/dropout.h"
#include "platform/cpu_features.h"
#include "tensors.h"

namespace transformer {
namespace {

struct Case {
  std::vector<int64_t> queries, keys;
  int64_t h, d_k, d_v;
  AttentionMask mask;
};

std::string name(const AttentionMask& mask) {
  return (mask.causal ? "causal, reach " : "full, reach ") + std::to_string(mask.reach.value_or(-1));
}

struct Inputs {
  PackedSequence query, key, value;

  Inputs(const Case& c, torch::Dtype type) {
    torch::manual_seed(1);
    const auto random = [&](const std::vector<int64_t>& lengths, int64_t width) {
      const Packing packing(lengths);
      return PackedSequence{torch::randn({packing.num_positions(), c.h, width}).to(type).requires_grad_(), packing};
    };
    query = random(c.queries, c.d_k);
    key = random(c.keys, c.d_k);
    value = random(c.keys, c.d_v);
  }
};

/// Computes with `attend(query, key, value)`. Returns the output, then the gradients with respect to query, key and
/// value.
template <class Attend>
std::vector<torch::Tensor> pass(const Case& c, torch::Dtype type, const Attend& attend) {
  const Inputs in(c, type);
  const torch::Tensor output = attend(in.query, in.key, in.value);
  output.backward(torch::randn_like(output));
  return {output.detach(), in.query.data.grad(), in.key.data.grad(), in.value.data.grad()};
}

std::vector<torch::Tensor> pass(const Case& c, torch::Dtype type, bool kernel, double dropout = 0) {
  std::optional<PlainOperations> plain;
  if (!kernel) plain.emplace();
  return pass(c, type, [&](const auto& query, const auto& key, const auto& value) {
    std::vector<int64_t> keys(c.queries.size());
    std::iota(keys.begin(), keys.end(), int64_t{5});
    const DropoutScope scope(3, keys);
    return scaled_dot_product_attention(query, key, value, c.mask, dropout).data;
  });
}

/// Equation 1 sequence by sequence, head by head and query by query.
torch::Tensor equation_1(const PackedSequence& query, const PackedSequence& key, const PackedSequence& value,
                         const AttentionMask& mask) {
  std::vector<torch::Tensor> outputs;
  const auto *q = query.packing.offsets().const_data_ptr<int64_t>(),
             *k = key.packing.offsets().const_data_ptr<int64_t>();
  for (int64_t b = 0; b < query.packing.num_sequences(); ++b) {
    for (int64_t i = 0; i < q[b + 1] - q[b]; ++i) {
      const int64_t length = k[b + 1] - k[b];
      const int64_t first = mask.reach ? std::max<int64_t>(0, i - *mask.reach) : 0;
      int64_t end = mask.reach ? std::min(length, i + *mask.reach + 1) : length;
      if (mask.causal) end = std::min(end, i + 1);
      const auto keys = key.data.slice(0, k[b] + first, k[b] + end),
                 values = value.data.slice(0, k[b] + first, k[b] + end);  // [visible keys, h, width]
      const double scale = std::sqrt(static_cast<double>(keys.size(2)));
      const auto weights = torch::softmax((query.data[q[b] + i] * keys).sum(2) / scale, 0);  // [visible keys, h]
      outputs.push_back((weights.unsqueeze(2) * values).sum(0));
    }
  }
  return torch::stack(outputs);
}

// Odd sizes, and more queries than the kernel processes at once.
const std::vector<int64_t> kLengths = {5, 1, 130, 33, 64}, kOthers = {3, 70, 1, 17, 129};

std::vector<Case> cases() {
  std::vector<Case> cases = {{{1}, {1}, 1, 1, 1, {}},
                             {kLengths, kLengths, 3, 16, 16, {.causal = true, .reach = {}}},
                             {kLengths, kLengths, 2, 32, 32, {}},
                             {kLengths, kOthers, 2, 64, 64, {}},
                             {kLengths, kLengths, 2, 7, 5, {.causal = true, .reach = {}}},
                             {kOthers, kLengths, 1, 33, 50, {}}};
  for (const int64_t reach : {0, 1, 3, 16, 40, 70, 1000}) {
    for (const bool causal : {false, true}) {
      cases.push_back({kLengths, kLengths, 2, 7, 5, {.causal = causal, .reach = reach}});
    }
  }
  return cases;
}

}  // namespace

TEST_CASE("attention is equation 1 over the visible keys, values and gradients, with and without the kernel") {
  const auto c = GENERATE(from_range(cases()));
  const auto [type, kernel, tolerance] = GENERATE(table<torch::Dtype, bool, double>(
      {{torch::kDouble, false, 1e-12}, {torch::kFloat, false, 2e-5}, {torch::kFloat, true, 2e-5}}));
  INFO("h " << c.h << ", d_k " << c.d_k << ", d_v " << c.d_v << ", " << name(c.mask) << ", " << type << ", kernel "
            << kernel);
  const auto ours = pass(c, type, kernel);
  const auto expected = pass(c, type, [&](const auto& query, const auto& key, const auto& value) {
    return equation_1(query, key, value, c.mask);
  });
  for (size_t i = 0; i < ours.size(); ++i) {
    INFO("tensor " << i);
    CHECK(ours[i].scalar_type() == type);
    CHECK(max_difference(ours[i], expected[i]) < tolerance * std::max(1.0, expected[i].abs().max().item<double>()));
  }
}

TEST_CASE("the attention kernel equals the plain form in bf16") {
  const auto c = GENERATE(from_range(cases()));
  INFO("h " << c.h << ", d_k " << c.d_k << ", d_v " << c.d_v << ", " << name(c.mask));
  const auto kernel = pass(c, torch::kBFloat16, true), plain = pass(c, torch::kBFloat16, false);
  for (size_t i = 0; i < kernel.size(); ++i) {
    INFO("tensor " << i);
    CHECK(kernel[i].scalar_type() == torch::kBFloat16);
    CHECK(max_difference(kernel[i], plain[i]) < 0.06 * std::max(1.0, plain[i].abs().max().item<double>()));
  }
}

TEST_CASE("the attention kernel drops the same weights as the plain form, in values and gradients") {
  const auto c = GENERATE(from_range(cases()));
  const auto [type, tolerance] =
      GENERATE(table<torch::Dtype, double>({{torch::kFloat, 2e-5}, {torch::kBFloat16, 0.06}}));
  INFO("h " << c.h << ", d_k " << c.d_k << ", d_v " << c.d_v << ", " << name(c.mask) << ", " << type);
  static constexpr double kP = 0.4;
  const auto kernel = pass(c, type, true, kP), plain = pass(c, type, false, kP);
  for (size_t i = 0; i < kernel.size(); ++i) {
    INFO("tensor " << i);
    CHECK(kernel[i].scalar_type() == type);
    CHECK(max_difference(kernel[i], plain[i]) < tolerance * std::max(1.0, plain[i].abs().max().item<double>()));
  }
}

TEST_CASE("attention weights are the softmax of equation 1") {
  const Case c{{3, 1}, {2, 4}, 2, 8, 6, {}};
  const Inputs in(c, torch::kDouble);
  const auto weights = attention_weights(in.query, in.key, c.mask);  // [B, h, T, S]
  CHECK(weights.sizes() == torch::IntArrayRef({2, 2, 3, 4}));
  const auto values = in.value.pad().transpose(1, 2);  // [B, h, S, d_v]
  const auto attended = in.query.packing.unpad(weights.matmul(values).transpose(1, 2));
  CHECK(max_difference(attended, equation_1(in.query, in.key, in.value, c.mask)) < 1e-12);
  CHECK(weights[0].slice(2, 2).abs().max().item<double>() == 0);
}

TEST_CASE("attention dropout drops the same weights of equation 1 with and without a window") {
  const Case c{{100}, {100}, 2, 8, 6, {.causal = false, .reach = 10}};
  static constexpr double kP = 0.3;
  const Inputs in(c, torch::kDouble);
  const auto attend = [&](const AttentionMask& mask) {
    const DropoutScope scope(5, {7});
    return scaled_dot_product_attention(in.query, in.key, in.value, mask, kP).data;
  };
  const auto expected = [&](const AttentionMask& mask) {
    const DropoutScope scope(5, {7});
    const auto weights =
        attention_dropout(attention_weights(in.query, in.key, mask), next_dropout_seeds(in.query.packing, kP));
    return weights.matmul(in.value.pad().transpose(1, 2)).transpose(1, 2).flatten(0, 1);
  };
  for (const AttentionMask& mask : {c.mask, AttentionMask()})
    CHECK(max_difference(attend(mask), expected(mask)) < 1e-12);
  const auto without = scaled_dot_product_attention(in.query, in.key, in.value, c.mask, 0).data;
  CHECK_FALSE(torch::allclose(attend(c.mask), without));
}

TEST_CASE("the attention kernel keeps sequences apart and later positions hidden, exactly") {
  torch::manual_seed(1);
  const Packing packing({4, 6});
  const auto x = torch::randn({10, 2, 8});
  auto changed = x.clone();
  changed[3] += 1;  // the first sequence's last position
  const auto attend = [&](const torch::Tensor& data) {
    const PackedSequence s{data, packing};
    return scaled_dot_product_attention(s, s, s, {.causal = true, .reach = {}}, 0).data;
  };
  const auto a = attend(x), b = attend(changed);
  CHECK(torch::equal(a.slice(0, 0, 3), b.slice(0, 0, 3)));
  CHECK_FALSE(torch::equal(a[3], b[3]));
  CHECK(torch::equal(a.slice(0, 4), b.slice(0, 4)));
}

TEST_CASE("the attention kernel computes large scores, and their gradients") {
  const Case c{{9, 3}, {9, 3}, 2, 16, 16, {}};
  const auto scaled_pass = [&](bool kernel) {
    std::optional<PlainOperations> plain;
    if (!kernel) plain.emplace();
    return pass(c, torch::kFloat, [&](const PackedSequence& query, const auto& key, const auto& value) {
      return scaled_dot_product_attention({300 * query.data, query.packing}, key, value, c.mask, 0).data;
    });
  };
  const auto kernel = scaled_pass(true), plain = scaled_pass(false);
  const double tolerance = instruction_set() == InstructionSet::baseline ? 2e-3 : 1e-3;  // without FMA sums are rougher
  for (size_t i = 0; i < kernel.size(); ++i) {
    INFO("tensor " << i);
    CHECK(max_difference(kernel[i], plain[i]) < tolerance * std::max(1.0, plain[i].abs().max().item<double>()));
  }
}

TEST_CASE("the attention kernel gives the same result with any number of threads") {
  torch::manual_seed(1);
  const double dropout = GENERATE(0.0, 0.4);
  const PackedSequence x{torch::randn({90, 4, 16}), Packing({40, 30, 20})};
  const auto attend = [&] {
    const DropoutScope scope(1, {1, 2, 3});
    return scaled_dot_product_attention(x, x, x, {}, dropout).data;
  };
  const int threads = torch::get_num_threads();
  torch::set_num_threads(4);
  const auto many = attend();
  torch::set_num_threads(1);
  const auto one = attend();
  torch::set_num_threads(threads);
  CHECK(torch::equal(one, many));
}

TEST_CASE("the attention kernel propagates NaN") {
  const PackedSequence x{torch::randn({3, 1, 16}), Packing({3})};
  x.data[2][0][0] = std::numeric_limits<float>::quiet_NaN();
  CHECK(scaled_dot_product_attention(x, x, x, {}, 0).data.isnan().all().item<bool>());
}

}  // namespace transformer
