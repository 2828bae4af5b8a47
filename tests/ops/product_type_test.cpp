#include "ops/product_type.h"

#include <torch/nn/modules/linear.h>

#include "catch.h"
#include "ops/precision.h"
#include "tensors.h"

namespace transformer {

TEST_CASE("products that share a cast give what each with its own cast gives, values and gradients") {
  const auto precision = GENERATE(Precision::fp32, Precision::bf16);
  torch::manual_seed(1);
  std::vector<torch::nn::Linear> products;
  for (int i = 0; i < 3; ++i) products.emplace_back(24, 17);
  const auto x = torch::randn({50, 24}).requires_grad_(), other_x = x.detach().clone().requires_grad_();
  for (size_t i = 0; i < products.size(); ++i) {
    const auto gradient = torch::randn({50, 17});
    torch::Tensor shared, own;
    {
      const PrecisionScope scope(precision);
      const auto inputs = cast_for_products(x * 1, products.size());
      REQUIRE(inputs.size() == products.size());
      shared = products[i](inputs[i]) + products[(i + 1) % 3](inputs[(i + 1) % 3]);
      const auto input = other_x * 1;  // of a leaf, autocast would keep the cast and sum its gradients in bf16
      own = products[i](input) + products[(i + 1) % 3](input);
    }
    CHECK(shared.scalar_type() == own.scalar_type());
    CHECK(torch::equal(shared, own));
    shared.backward(gradient.to(shared.scalar_type()));
    own.backward(gradient.to(own.scalar_type()));
  }
  CHECK(x.grad().scalar_type() == torch::kFloat);
  CHECK(max_difference(x.grad(), other_x.grad()) < 1e-5);
}

}  // namespace transformer
