#include "decoding/renormalized_model.h"

#include <utility>

#include "catch.h"
#include "tensors.h"

namespace transformer {
namespace {

/// A model with the same logits in each step.
class ConstantModel : public SearchModel {
 public:
  explicit ConstantModel(torch::Tensor logits) : logits_(std::move(logits)) {}
  void begin(const std::vector<SearchSource>&) override {}
  torch::Tensor step(const std::vector<StepRow>&) override { return logits_.clone(); }

 private:
  torch::Tensor logits_;
};

}  // namespace

TEST_CASE("the probabilities of a renormalized model are those of the tokens that are left, and sum to 1") {
  const auto logits = torch::randn({3, 10}) * 4;
  ConstantModel whole(logits);
  const auto found = torch::softmax(RenormalizedModel(whole, torch::tensor({2, 7}, torch::kLong)).step({}), 1);
  auto expected = torch::softmax(logits, 1);
  expected.index_fill_(1, torch::tensor({2, 7}, torch::kLong), 0);
  expected = expected / expected.sum(1, /*keepdim=*/true);
  CHECK(max_difference(found, expected) < 1e-6);
}

}  // namespace transformer
