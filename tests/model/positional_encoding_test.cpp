#include "model/positional_encoding.h"

#include <cmath>

#include "base/error.h"
#include "catch.h"
#include "tensors.h"
#include "tiny_model.h"

namespace transformer {

TEST_CASE("positional encoding is the table of section 3.5") {
  ModelConfig config;
  config.d_model = 6;
  const auto table = positional_encoding_table(50, config);
  for (const int64_t position : {0, 1, 49}) {
    for (int64_t i = 0; i < 3; ++i) {
      const double angle = static_cast<double>(position) / std::pow(10000.0, 2.0 * static_cast<double>(i) / 6.0);
      CHECK(table[position][2 * i].item<double>() == Approx(std::sin(angle)).margin(1e-12));
      CHECK(table[position][2 * i + 1].item<double>() == Approx(std::cos(angle)).margin(1e-12));
    }
  }
}

TEST_CASE("sinusoids in halves have all sines before all cosines, those of tensor2tensor with other frequencies") {
  ModelConfig config;
  config.d_model = 6;
  config.sinusoids = GENERATE(Sinusoids::halves, Sinusoids::tensor2tensor);
  config.first_position = GENERATE(0, 2);
  const auto table = positional_encoding_table(50, config);
  const double divisor = config.sinusoids == Sinusoids::halves ? 3 : 2;
  for (const int64_t row : {0, 1, 49}) {
    for (int64_t i = 0; i < 3; ++i) {
      const double angle =
          static_cast<double>(config.first_position + row) / std::pow(10000.0, static_cast<double>(i) / divisor);
      CHECK(table[row][i].item<double>() == Approx(std::sin(angle)).margin(1e-12));
      CHECK(table[row][3 + i].item<double>() == Approx(std::cos(angle)).margin(1e-12));
    }
  }
}

TEST_CASE("positional encoding begins anew with every sentence and covers any length") {
  PositionalEncoding positions(tiny_config());
  const auto x = torch::zeros({703, 16}), table = positional_encoding_table(1501, tiny_config());
  const Packing packing({3, 700});
  const auto encoded = positions->at(x, packing.position_ids(), packing.max_length());
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
  const auto add_to_zeros = [&](const Packing& packing) {
    return positions->at(torch::zeros({packing.num_positions(), 16}), packing.position_ids(), packing.max_length());
  };
  CHECK_NOTHROW(add_to_zeros(Packing({5, 2})));
  CHECK_THROWS_WITH(add_to_zeros(Packing({6})), Catch::Contains("6 positions is longer than the 5"));
}

}  // namespace transformer
