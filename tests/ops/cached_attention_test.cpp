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
  const auto type = GENERATE(torch::kFloat, torch::kBFloat16, torch::kHalf);
  const auto keys = torch::randn({10, 3, d_k}).to(type), values = torch::randn({10, 3, d_v}).to(type);
  const auto query = torch::randn({rows, 5 * d_k}).narrow(1, d_k, 3 * d_k).unflatten(1, {3, d_k});  // rows lie apart
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
      const auto k = keys.index_select(0, list).select(1, head).to(torch::kFloat);
      const auto v = values.index_select(0, list).select(1, head).to(torch::kFloat);
      const auto weights = torch::softmax(k.matmul(query[row][head]) / std::sqrt(static_cast<double>(d_k)), 0);
      CHECK(max_difference(fused[row][head], weights.matmul(v)) < 1e-5);
    }
  }
}

TEST_CASE("rows of a cache become those that are put there, in either form") {
  const auto type = GENERATE(torch::kFloat, torch::kBFloat16, torch::kDouble);
  const auto rows = torch::randn({3, 10}).to(type).narrow(1, 2, 8).unflatten(1, {2, 4});  // that lie apart
  const auto before = torch::randn({6, 2, 4}).to(type), places = torch::tensor({4, 0, 5});
  const auto expected = before.clone();
  for (int64_t i = 0; i < 3; ++i) expected[places[i].item<int64_t>()] = rows[i];
  const auto fused = before.clone(), plain = before.clone();
  put_rows(fused, places, rows);
  CHECK(torch::equal(fused, expected));
  const PlainOperations operations;
  put_rows(plain, places, rows);
  CHECK(torch::equal(plain, expected));
}

}  // namespace transformer
