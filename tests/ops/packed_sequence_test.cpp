#include "ops/packed_sequence.h"

#include "catch.h"
#include "tensors.h"

namespace transformer {

TEST_CASE("packing stores sequences one after another; pad and unpad are inverse") {
  const Packing packing({2, 1, 3});
  CHECK(packing.num_positions() == 6);
  CHECK(packing.max_length() == 3);
  CHECK(torch::equal(packing.offsets(), torch::tensor({0, 2, 3, 6})));
  CHECK(torch::equal(packing.position_ids(), torch::tensor({0, 1, 0, 0, 1, 2})));
  CHECK(torch::equal(packing.sequence_ids(), torch::tensor({0, 0, 1, 2, 2, 2})));
  const auto x = torch::arange(1, 7);
  CHECK(torch::equal(packing.pad(x), ids({{1, 2, 0}, {3, 0, 0}, {4, 5, 6}})));
  CHECK(torch::equal(packing.pad(x).ne(0), packing.padding_mask()));
  CHECK(torch::equal(packing.unpad(packing.pad(x)), x));
  const auto wide = torch::randn({6, 2, 5}).requires_grad_();
  CHECK(packing.pad(wide).sizes() == torch::IntArrayRef({3, 3, 2, 5}));
  packing.unpad(packing.pad(wide)).square().sum().backward();
  CHECK(max_difference(wide.grad(), 2 * wide.detach()) == 0);
  CHECK_THROWS(Packing({2, 0}));
  CHECK_THROWS(packing.pad(torch::ones({5})));
}

TEST_CASE("packing of sequences of equal length changes nothing but the shape") {
  const Packing packing({2, 2});
  const auto x = torch::arange(8).view({4, 2});
  CHECK(packing.pad(x).data_ptr() == x.data_ptr());
  CHECK(torch::equal(packing.unpad(packing.pad(x)), x));
}

}  // namespace transformer
