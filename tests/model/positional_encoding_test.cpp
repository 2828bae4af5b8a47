#include "model/positional_encoding.h"

#include <cmath>

#include "base/error.h"
#include "catch.h"
#include "tensors.h"

namespace transformer {

TEST_CASE("positional encoding is the table of section 3.5") {
  const auto table = positional_encoding_table(50, 6);
  for (const int64_t position : {0, 1, 49}) {
    for (int64_t i = 0; i < 3; ++i) {
      const double angle = static_cast<double>(position) / std::pow(10000.0, 2.0 * static_cast<double>(i) / 6.0);
      CHECK(table[position][2 * i].item<double>() == Approx(std::sin(angle)).margin(1e-12));
      CHECK(table[position][2 * i + 1].item<double>() == Approx(std::cos(angle)).margin(1e-12));
    }
  }
}

TEST_CASE("positional encoding covers any length, from any first position") {
  PositionalEncoding positions(tiny_config());
  const auto x = torch::zeros({1, 700, 16});
  CHECK(max_difference(positions(x, 0)[0], positional_encoding_table(700, 16)) < 1e-6);
  const auto last = positions(x.slice(1, 0, 1), 1500)[0][0];
  CHECK(max_difference(last, positional_encoding_table(1501, 16)[1500]) < 1e-6);
}

TEST_CASE("learned positions are parameters and say where they end") {
  ModelConfig config = tiny_config();
  config.position = Position::learned;
  config.max_positions = 5;
  PositionalEncoding positions(config);
  CHECK(positions->parameters().size() == 1);
  CHECK_NOTHROW(positions(torch::zeros({1, 5, 16}), 0));
  CHECK_THROWS_WITH(positions(torch::zeros({1, 6, 16}), 0), Catch::Contains("6 positions is longer than the 5"));
}

}  // namespace transformer
