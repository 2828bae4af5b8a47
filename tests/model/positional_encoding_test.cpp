#include "model/positional_encoding.h"

#include <cmath>

#include "base/error.h"
#include "catch.h"
#include "tensors.h"
#include "tiny_model.h"

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

TEST_CASE("positional encoding begins anew with every sentence and covers any length") {
  PositionalEncoding positions(tiny_config());
  const auto x = torch::zeros({703, 16}), table = positional_encoding_table(1501, 16);
  const auto encoded = positions(PackedSequence{x, Packing({3, 700})}).data;
  CHECK(max_difference(encoded.slice(0, 0, 3), table.slice(0, 0, 3)) < 1e-6);
  CHECK(max_difference(encoded.slice(0, 3), table.slice(0, 0, 700)) < 1e-6);
  CHECK(max_difference(positions->at(x.slice(0, 0, 2), torch::tensor({3, 1500}), 1501)[1], table[1500]) < 1e-6);
}

TEST_CASE("learned positions are parameters and say where they end") {
  ModelConfig config = tiny_config();
  config.position = Position::learned;
  config.max_positions = 5;
  PositionalEncoding positions(config);
  CHECK(positions->parameters().size() == 1);
  CHECK_NOTHROW(positions(PackedSequence{torch::zeros({7, 16}), Packing({5, 2})}));
  CHECK_THROWS_WITH(positions(PackedSequence{torch::zeros({6, 16}), Packing({6})}),
                    Catch::Contains("6 positions is longer than the 5"));
}

}  // namespace transformer
