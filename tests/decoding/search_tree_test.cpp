#include "decoding/search_tree.h"

#include <stdexcept>

#include "catch.h"

namespace transformer {

TEST_CASE("search tree: nodes of two steps, with a finished and dropped ones") {
  constexpr TokenId kEndSymbol = 3;
  using State = Candidate::State;
  SearchTree tree;
  tree.add_step({{0, 7, -0.5F, -0.5, State::live},
                 {0, kEndSymbol, -1.0F, -1.0, State::finished},
                 {0, 8, -1.5F, -1.5, State::live},
                 {0, 9, -2.0F, -2.0, State::dropped}});
  tree.add_step({{1, 7, -0.25F, -1.75, State::live},
                 {0, 7, -1.5F, -2.0, State::live},
                 {0, kEndSymbol, -2.0F, -2.5, State::finished}});

  REQUIRE(tree.nodes().size() == 8);
  const std::vector<State> states = {State::live,    State::live, State::finished, State::live,
                                     State::dropped, State::live, State::live,     State::finished};
  const std::vector<int64_t> parents = {-1, 0, 0, 0, 0, 3, 1, 1}, lengths = {0, 1, 1, 1, 1, 2, 2, 2};
  for (size_t i = 0; i < states.size(); ++i) {
    INFO(i);
    CHECK(tree.nodes()[i].state == states[i]);
    CHECK(tree.nodes()[i].parent == parents[i]);
    CHECK(tree.nodes()[i].length == lengths[i]);
  }
  CHECK(tree.nodes()[5].token_log_prob == -0.25);
  CHECK(tree.nodes()[5].log_prob == -1.75);
  CHECK(tree.find({}) == 0);
  CHECK(tree.find({8, 7}) == 5);
  CHECK(tree.find({7, kEndSymbol}) == 7);
  CHECK_THROWS_AS(tree.find({9, 7}), std::out_of_range);
}

}  // namespace transformer
