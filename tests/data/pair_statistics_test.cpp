#include "data/pair_statistics.h"

#include "catch.h"

namespace transformer {
namespace {

/// Pairs of so many source and target pieces, all of one id.
PairStatistics statistics_of(const std::vector<std::pair<size_t, size_t>>& lengths, TokenId source_id = 4,
                             TokenId target_id = 5) {
  PairStatistics statistics(VocabularySizes(8));
  for (const auto& [source, target] : lengths) {
    const std::vector<TokenId> source_pieces(source, source_id), target_pieces(target, target_id);
    statistics.add({source_pieces, target_pieces});
  }
  return statistics;
}

}  // namespace

TEST_CASE("pair statistics correlate the logarithms of the lengths") {
  CHECK(statistics_of({{1, 3}, {3, 7}, {7, 15}}).length_correlation() == Approx(1));
  CHECK(statistics_of({{1, 15}, {3, 7}, {7, 3}}).length_correlation() == Approx(-1));
  CHECK(statistics_of({{1, 1}, {1, 3}, {3, 1}, {3, 3}}).length_correlation() == Approx(0).margin(1e-9));
  CHECK(statistics_of({{2, 1}, {2, 9}}).length_correlation() == 0);
  CHECK(statistics_of({{0, 1}, {2, 0}}).num_pairs() == 0);
  CHECK(statistics_of({}).length_correlation() == 0);
}

TEST_CASE("pair statistics compare mean and spread of the lengths") {
  const PairStatistics text = statistics_of({{9, 9}, {19, 19}, {39, 39}});
  CHECK(text.has_lengths_of(statistics_of({{9, 9}, {39, 39}})));
  CHECK_FALSE(text.has_lengths_of(statistics_of({{1, 1}, {2, 2}})));
  CHECK_FALSE(text.has_lengths_of(statistics_of({{19, 19}, {20, 20}})));
  CHECK_FALSE(text.has_lengths_of(statistics_of({})));
}

TEST_CASE("pair statistics give the share of pieces that two texts have in common") {
  const PairStatistics text = statistics_of({{3, 1}});
  PairStatistics other = statistics_of({{1, 1}});
  const std::vector<TokenId> source = {4, 6, 7}, target = {6, 6, 6};
  other.add({source, target});
  CHECK(text.common_source_pieces(other, 1) == Approx(0.5));
  CHECK(text.common_target_pieces(other, 1) == Approx(0.25));
  CHECK(other.common_source_pieces(text, 1) == Approx(0.5));
  CHECK(other.common_source_pieces(text, 10) == Approx(1));
  CHECK(other.common_target_pieces(text, 2) == Approx(0.5));
}

}  // namespace transformer
