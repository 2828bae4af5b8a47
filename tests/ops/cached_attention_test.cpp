#include "ops/cached_attention.h"

#include <cmath>

#include "catch.h"
#include "tensors.h"

namespace transformer {

TEST_CASE("cached attention is equation 1 over the places of each row's list, in either form") {
  const auto [d_k, d_v] = GENERATE(table<int64_t, int64_t>({{16, 16}, {64, 32}, {7, 5}}));
  const std::vector<std::vector<int64_t>> lists = {
      {3}, {0, 9, 4}, {9, 9, 1}, std::vector<int64_t>(70, 2), {5, 6, 7, 8, 0}};
  torch::manual_seed(1);
  const auto rows = static_cast<int64_t>(lists.size());
  const auto query = torch::randn({rows, 3, d_k}), keys = torch::randn({10, 3, d_k}),
             values = torch::randn({10, 3, d_v});
  std::vector<int64_t> places, lengths;
  for (const auto& list : lists) {
    places.insert(places.end(), list.begin(), list.end());
    lengths.push_back(std::ssize(list));
  }
  const PlaceLists seen{torch::tensor(places), Packing(lengths)};
  const auto fused = cached_attention(query, keys, values, seen);
  const PlainOperations plain;
  CHECK(max_difference(fused, cached_attention(query, keys, values, seen)) < 1e-5);
  for (int64_t row = 0; row < rows; ++row) {
    const auto list = torch::tensor(lists[static_cast<size_t>(row)]);
    for (int64_t head = 0; head < 3; ++head) {
      const auto k = keys.index_select(0, list).select(1, head), v = values.index_select(0, list).select(1, head);
      const auto weights = torch::softmax(k.matmul(query[row][head]) / std::sqrt(static_cast<double>(d_k)), 0);
      CHECK(max_difference(fused[row][head], weights.matmul(v)) < 1e-5);
    }
  }
}

}  // namespace transformer
