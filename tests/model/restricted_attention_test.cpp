#include "model/restricted_attention.h"

#include "catch.h"
#include "model/scaled_dot_product_attention.h"
#include "tensors.h"

namespace transformer {
namespace {

/// True where position j lies in the window of position i: [n, n].
torch::Tensor band_mask(int64_t n, const Window& window) {
  const auto i = torch::arange(n).unsqueeze(1), j = torch::arange(n).unsqueeze(0);
  return j.ge(i - window.before).logical_and(j.le(i + window.after));
}

struct Inputs {
  explicit Inputs(int64_t n) {
    torch::manual_seed(n);
    query = torch::randn({2, 3, n, 4}, torch::kDouble).requires_grad_();
    key = torch::randn({2, 3, n, 4}, torch::kDouble).requires_grad_();
    value = torch::randn({2, 3, n, 5}, torch::kDouble).requires_grad_();
  }
  torch::Tensor query, key, value;
};

}  // namespace

TEST_CASE("restricted attention is full attention under a band mask, gradients too") {
  const auto n = GENERATE(1, 2, 7, 64, 65, 200);
  const auto window = GENERATE(values<Window>({{0, 0}, {1, 1}, {3, 0}, {2, 5}, {40, 40}, {70, 0}, {1000, 1000}}));
  INFO("n " << n << ", before " << window.before << ", after " << window.after);
  const Inputs in(n), other(n);
  const auto restricted = restricted_self_attention(in.query, in.key, in.value, window, {}, 0.0);
  const auto full = scaled_dot_product_attention(other.query, other.key, other.value, band_mask(n, window), 0.0);
  CHECK(restricted.sizes() == full.sizes());
  CHECK(max_difference(restricted, full) < 1e-12);
  restricted.square().sum().backward();
  full.square().sum().backward();
  CHECK(max_difference(in.query.grad(), other.query.grad()) < 1e-10);
  CHECK(max_difference(in.key.grad(), other.key.grad()) < 1e-10);
  CHECK(max_difference(in.value.grad(), other.value.grad()) < 1e-10);
}

TEST_CASE("restricted attention drops the weights that full attention drops") {
  static constexpr int64_t kLength = 100;
  const Window window{.before = 10, .after = 5};
  const Inputs in(kLength);
  torch::manual_seed(1);
  const auto restricted = restricted_self_attention(in.query, in.key, in.value, window, {}, 0.3);
  torch::manual_seed(1);
  const auto full = scaled_dot_product_attention(in.query, in.key, in.value, band_mask(kLength, window), 0.3);
  CHECK(torch::equal(restricted, full));
  CHECK_FALSE(torch::allclose(restricted, restricted_self_attention(in.query, in.key, in.value, window, {}, 0.0)));
}

TEST_CASE("restricted attention never looks at padding, and padding gives numbers") {
  static constexpr int64_t kLength = 150, kReal = 90;
  const Window window{.before = 10, .after = 10};
  const Inputs in(kLength);
  const auto real = torch::arange(kLength).lt(kReal).expand({2, kLength});
  const auto mask = real.unsqueeze(1).unsqueeze(1);  // [B, 1, 1, n]
  const auto restricted = restricted_self_attention(in.query, in.key, in.value, window, mask, 0.0);
  const auto full =
      scaled_dot_product_attention(in.query, in.key, in.value, mask.logical_and(band_mask(kLength, window)), 0.0);
  CHECK(max_difference(restricted.slice(2, 0, kReal), full.slice(2, 0, kReal)) < 1e-12);
  CHECK(restricted.isfinite().all().item<bool>());
  restricted.sum().backward();
  CHECK(in.key.grad().isfinite().all().item<bool>());
}

TEST_CASE("restricted transformer: a token beyond every window changes nothing, one inside does") {
  ModelConfig config = tiny_config();
  config.N = 1;
  config.r = 4;
  auto model = tiny_model(config);
  torch::NoGradGuard no_grad;
  const auto encoded = model->encode(sentences({{4, 5, 6, 7, 8, 9, 10, 3}}));
  const auto changed = model->encode(sentences({{4, 5, 6, 7, 8, 9, 11, 3}}));
  CHECK(max_difference(encoded.slice(0, 0, 4), changed.slice(0, 0, 4)) == 0);
  CHECK(max_difference(encoded.slice(0, 4, 5), changed.slice(0, 4, 5)) > 1e-4);
}

}  // namespace transformer
