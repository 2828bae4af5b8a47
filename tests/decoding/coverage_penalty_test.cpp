#include "decoding/coverage_penalty.h"

#include <algorithm>
#include <cmath>

#include "catch.h"
#include "data/batch.h"
#include "model/attention_weights.h"
#include "tiny_model.h"

namespace transformer {

TEST_CASE("the coverage penalty is Equation 14 of Wu et al. (2016), of the mean of all heads and models") {
  const torch::NoGradGuard no_grad;
  std::vector<Transformer> models = {tiny_model(tiny_config()), tiny_model(tiny_config())};
  initialize(models[1], 2);
  const std::vector<TokenId> source = {4, 5, 6}, output = {9, 10, 11, 12};
  // The first 4 of the decoder's positions predict the output's tokens.
  const Batch batch = make_batch({SentencePair{source, output, 0}}, SpecialTokens());
  std::vector<torch::Tensor> heads;  // [h, 5, 4]
  for (Transformer& model : models) {
    heads.push_back(last_cross_attention_weights(model, batch.source, batch.target_in)[0]);
  }
  double expected = 0, smallest = 1, largest = 0;
  for (int64_t i = 0; i < 4; ++i) {  // with the end symbol
    double attention = 0;
    for (int64_t j = 0; j < 4; ++j) {
      for (const torch::Tensor& weights : heads) {
        for (int64_t h = 0; h < weights.size(0); ++h) {
          attention += weights[h][j][i].item<double>() / static_cast<double>(2 * weights.size(0));
        }
      }
    }
    smallest = std::min(smallest, attention);
    largest = std::max(largest, attention);
    expected += std::log(std::min(attention, 1.0));
  }
  CHECK(smallest < 1);
  CHECK(largest > 1);
  CHECK(coverage_penalties(models, {{&source, output}}, SpecialTokens()).front() == Approx(expected).margin(1e-6));
}

}  // namespace transformer
