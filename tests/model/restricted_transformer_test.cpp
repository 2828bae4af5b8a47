#include "catch.h"
#include "tensors.h"
#include "tiny_model.h"

namespace transformer {

TEST_CASE("restricted transformer: a token beyond every window changes nothing, one inside does") {
  ModelConfig config = tiny_config();
  config.N = 1;
  config.r = 4;
  auto model = tiny_model(config);
  torch::NoGradGuard no_grad;
  const auto encoded = model->encode(sentences({{4, 5, 6, 7, 8, 9, 10, 3}})).data;
  const auto changed = model->encode(sentences({{4, 5, 6, 7, 8, 9, 11, 3}})).data;
  CHECK(max_difference(encoded.slice(0, 0, 4), changed.slice(0, 0, 4)) == 0);
  CHECK(max_difference(encoded.slice(0, 4, 5), changed.slice(0, 4, 5)) > 1e-4);
}

}  // namespace transformer
