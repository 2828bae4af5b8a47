#include "decoding/ensemble.h"

#include <memory>
#include <utility>

#include "catch.h"
#include "tensors.h"

namespace transformer {
namespace {

/// A model with the same logits in each step.
class FixedLogits : public SearchModel {
 public:
  explicit FixedLogits(torch::Tensor logits) : logits_(std::move(logits)) {}
  void begin(const std::vector<SearchSource>&) override {}
  torch::Tensor step(const std::vector<StepRow>&) override { return logits_; }

 private:
  torch::Tensor logits_;
};

torch::Tensor probabilities_of(const std::vector<torch::Tensor>& logits) {
  std::vector<std::unique_ptr<SearchModel>> models;
  for (const auto& x : logits) models.push_back(std::make_unique<FixedLogits>(x));
  return torch::softmax(Ensemble(std::move(models)).step({}), 1);
}

}  // namespace

TEST_CASE("an ensemble averages the probabilities of its models, whatever their order") {
  const auto a = torch::randn({3, 10}) * 4, b = torch::randn({3, 10}) * 4 + 7;
  const auto mean = (torch::softmax(a, 1) + torch::softmax(b, 1)) / 2;
  CHECK(max_difference(probabilities_of({a, b}), mean) < 1e-6);
  CHECK(max_difference(probabilities_of({b, a}), mean) < 1e-6);
  CHECK(max_difference(probabilities_of({a}), torch::softmax(a, 1)) < 1e-6);
}

}  // namespace transformer
