#include "ops/cached_attention.h"

#include <cmath>
#include <utility>
#include <vector>

#include "catch.h"
#include "operation_recorder.h"
#include "tensors.h"

namespace transformer {

TEST_CASE("cached attention is equation 1 over the slots of each row, with and without the kernel") {
  const auto [d_k, d_v] = GENERATE(table<int64_t, int64_t>({{16, 16}, {64, 32}, {7, 5}}));
  const std::vector<std::vector<int64_t>> lists = {
      {3}, {0, 9, 4}, {9, 9, 1}, std::vector<int64_t>(70, 2), {5, 6, 7, 8, 0}};
  torch::manual_seed(1);
  const auto rows = static_cast<int64_t>(lists.size());
  const auto type = GENERATE(torch::kFloat, torch::kBFloat16, torch::kHalf);
  const auto keys = torch::randn({10, 3, d_k}).to(type), values = torch::randn({10, 3, d_v}).to(type);
  const auto query =
      torch::randn({rows, 5 * d_k}).narrow(1, d_k, 3 * d_k).unflatten(1, {3, d_k});  // rows that are not adjacent
  const PackedSequence slots = sentences(lists);
  const PackedSequence queries{query, Packing(std::vector<int64_t>(lists.size(), 1))};
  const auto attended = cached_attention(queries, keys, values, slots).data;
  const PlainOperations plain;
  CHECK(max_difference(attended, cached_attention(queries, keys, values, slots).data) < 1e-5);
  for (int64_t row = 0; row < rows; ++row) {
    const auto list = torch::tensor(lists[static_cast<size_t>(row)]);
    for (int64_t head = 0; head < 3; ++head) {
      const auto k = keys.index_select(0, list).select(1, head).to(torch::kFloat);
      const auto v = values.index_select(0, list).select(1, head).to(torch::kFloat);
      const auto weights = torch::softmax(k.matmul(query[row][head]) / std::sqrt(static_cast<double>(d_k)), 0);
      CHECK(max_difference(attended[row][head], weights.matmul(v)) < 1e-5);
    }
  }
}

TEST_CASE("cached attention computes large scores, with and without the kernel") {
  torch::manual_seed(1);
  const PackedSequence slots = sentences({{3}, {0, 9, 4}, {5, 6, 7, 8, 0}});
  const PackedSequence queries{300 * torch::randn({3, 2, 16}), Packing({1, 1, 1})};
  const auto keys = torch::randn({10, 2, 16}), values = torch::randn({10, 2, 16});
  const auto attended = cached_attention(queries, keys, values, slots).data;
  const PlainOperations plain;
  const PackedSequence exact{queries.data.to(torch::kDouble), queries.packing};
  const auto expected = cached_attention(exact, keys.to(torch::kDouble), values.to(torch::kDouble), slots).data;
  CHECK(max_difference(attended.to(torch::kDouble), expected) < 1e-3);
}

TEST_CASE("the GPU kernel for cached attention equals the plain form", "[gpu]") {
  const auto [d_k, d_v] = GENERATE(table<int64_t, int64_t>({{64, 64}, {8, 300}, {7, 5}}));
  const auto [type, tolerance] = GENERATE(values<std::pair<torch::Dtype, double>>(
      {{torch::kFloat, 3e-5}, {torch::kBFloat16, 0.02}, {torch::kHalf, 0.002}}));
  const int64_t longest = GENERATE(70, 1500);
  INFO("d_k " << d_k << ", d_v " << d_v << ", " << type << ", at most " << longest << " slots");
  torch::manual_seed(1);
  std::vector<int64_t> many(static_cast<size_t>(longest));
  for (size_t i = 0; i < many.size(); ++i) many[i] = static_cast<int64_t>(i * i % 10);
  const std::vector<std::vector<int64_t>> lists = {{3}, {0, 9, 4}, {9, 9, 1}, many, {5, 6, 7, 8}};
  const auto rows = static_cast<int64_t>(lists.size());
  const auto keys = torch::randn({10, 3, d_k}).to(type), values = torch::randn({10, 3, d_v}).to(type);
  const auto product = torch::randn({rows, 5 * d_k}).to(type);
  const auto query_of = [&](const torch::Tensor& x) { return x.narrow(1, d_k, 3 * d_k).unflatten(1, {3, d_k}); };
  const PackedSequence slots = sentences(lists);
  const PackedSequence queries{query_of(product.to(torch::kFloat)), Packing(std::vector<int64_t>(lists.size(), 1))};
  const auto expected = cached_attention(queries, keys.to(torch::kFloat), values.to(torch::kFloat), slots).data;
  const GpuForm gpu;
  const auto device = GpuForm::device();
  const PackedSequence device_queries{query_of(product.to(device)), queries.packing.to(device)};
  const OperationRecorder recorder;
  const auto attended = cached_attention(device_queries, keys.to(device), values.to(device), slots.to(device)).data;
  CHECK(recorder.has("gpu::cached_attention"));
  CHECK(attended.scalar_type() == type);
  CHECK(max_difference(attended, expected) < tolerance);
}

TEST_CASE("cached attention takes the plain form where a row has more slots than the GPU kernel can hold", "[gpu]") {
  const PackedSequence slots = sentences({std::vector<int64_t>(13000, 1), {0, 2}});
  const PackedSequence queries{torch::randn({2, 1, 7}), Packing({1, 1})};
  const auto keys = torch::randn({3, 1, 7}), values = torch::randn({3, 1, 5});
  const auto expected = cached_attention(queries, keys, values, slots).data;
  const GpuForm gpu;
  const auto device = GpuForm::device();
  const OperationRecorder recorder;
  const auto attended = cached_attention(queries.to(device), keys.to(device), values.to(device), slots.to(device)).data;
  CHECK_FALSE(recorder.has("gpu::cached_attention"));
  CHECK(max_difference(attended, expected) < 5e-4);  // a sum of 13,000 equal terms in fp32
}

TEST_CASE("rows are copied to the slots of a cache, with and without the kernel") {
  const auto type = GENERATE(torch::kFloat, torch::kBFloat16, torch::kDouble);
  const auto rows = torch::randn({3, 10}).to(type).narrow(1, 2, 8).unflatten(1, {2, 4});  // that are not adjacent
  const auto before = torch::randn({6, 2, 4}).to(type), slots = torch::tensor({4, 0, 5});
  const auto expected = before.clone();
  for (int64_t i = 0; i < 3; ++i) expected[slots[i].item<int64_t>()] = rows[i];
  const auto by_kernel = before.clone(), plain = before.clone();
  copy_rows_to_slots(by_kernel, slots, rows);
  CHECK(torch::equal(by_kernel, expected));
  const PlainOperations operations;
  copy_rows_to_slots(plain, slots, rows);
  CHECK(torch::equal(plain, expected));
}

}  // namespace transformer
