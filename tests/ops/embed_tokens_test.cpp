#include "ops/embed_tokens.h"

#include <optional>

#include "catch.h"
#include "ops/dropout.h"
#include "tensors.h"

namespace transformer {
namespace {

struct Pass {
  torch::Tensor y, embedding_gradient, positions_gradient;  // the last is undefined unless positions are learned
};

Pass pass(int64_t width, double p, bool learns_positions, bool gpu_kernel) {
  torch::manual_seed(1);
  const auto device = gpu_kernel ? GpuForm::device() : torch::kCPU;
  const auto embedding = torch::randn({11, width}).to(device).requires_grad_();
  const auto positions = torch::randn({20, width}).to(device).requires_grad_(learns_positions);
  const auto tokens = PackedSequence{torch::randint(11, {29}), Packing({7, 1, 19, 2})}.to(device);
  const auto gradient = torch::randn({29, width}).to(device);
  std::optional<GpuForm> gpu;
  if (gpu_kernel) gpu.emplace();
  const DropoutScope scope(3, {1, 2, 3, 4});
  const auto y = embed_tokens(tokens, embedding, 2.5, positions, p).data;
  y.backward(gradient);
  return {y.detach(), embedding.grad(), positions.grad()};
}

}  // namespace

TEST_CASE("embed_tokens looks up the scaled embedding and adds the position within the sentence") {
  const auto embedding = torch::tensor({{1.0F, 2.0F}, {3.0F, 4.0F}}),
             positions = torch::tensor({{10.0F, 20.0F}, {30.0F, 40.0F}});
  const PackedSequence tokens{torch::tensor({1, 0, 1}), Packing({2, 1})};
  const auto y = embed_tokens(tokens, embedding, 2.0, positions, 0.0).data;
  CHECK(torch::equal(y, torch::tensor({{16.0F, 28.0F}, {32.0F, 44.0F}, {16.0F, 28.0F}})));
}

TEST_CASE("the GPU kernel of embed_tokens equals the plain form, values and gradients", "[gpu]") {
  const int64_t width = GENERATE(64, 7);
  const double p = GENERATE(0.0, 0.3);
  const bool learns_positions = GENERATE(false, true);
  INFO("width " << width << ", p " << p << (learns_positions ? ", learned positions" : ""));
  const Pass kernel = pass(width, p, learns_positions, true), plain = pass(width, p, learns_positions, false);
  CHECK(max_difference(kernel.y, plain.y) < 1e-5);
  CHECK(torch::equal(kernel.y.cpu().eq(0), plain.y.eq(0)));
  CHECK(max_difference(kernel.embedding_gradient, plain.embedding_gradient) < 1e-5);
  REQUIRE(kernel.positions_gradient.defined() == learns_positions);
  if (learns_positions) CHECK(max_difference(kernel.positions_gradient, plain.positions_gradient) < 1e-5);
}

}  // namespace transformer
