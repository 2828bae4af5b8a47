#include "data/batch.h"

#include <algorithm>

#include "data/tokenizer.h"

namespace transformer {
namespace {

torch::Tensor padding(size_t rows, size_t columns) {
  return torch::full({static_cast<int64_t>(rows), static_cast<int64_t>(columns)}, kPad, torch::kLong);
}

}  // namespace

Batch Batch::to(torch::Device device) const {
  return {source.to(device), target_in.to(device), target_out.to(device), num_target_tokens};
}

Batch make_batch(const std::vector<SentencePair>& pairs) {
  size_t S = 0, T = 0;  // with the end symbol
  for (const SentencePair& pair : pairs) {
    S = std::max(S, pair.source.size() + 1);
    T = std::max(T, pair.target.size() + 1);
  }
  Batch batch{padding(pairs.size(), S), padding(pairs.size(), T), padding(pairs.size(), T)};
  auto* source_row = batch.source.data_ptr<int64_t>();
  auto* target_in_row = batch.target_in.data_ptr<int64_t>();
  auto* target_out_row = batch.target_out.data_ptr<int64_t>();
  for (const SentencePair& pair : pairs) {
    *std::copy(pair.source.begin(), pair.source.end(), source_row) = kEnd;
    target_in_row[0] = kBegin;
    std::copy(pair.target.begin(), pair.target.end(), target_in_row + 1);
    *std::copy(pair.target.begin(), pair.target.end(), target_out_row) = kEnd;
    batch.num_target_tokens += static_cast<int64_t>(pair.target.size()) + 1;
    source_row += S;
    target_in_row += T;
    target_out_row += T;
  }
  return batch;
}

Batch make_batch(const Corpus& corpus, const std::vector<int64_t>& pairs) {
  std::vector<SentencePair> chosen;
  for (const int64_t pair : pairs) chosen.push_back(corpus[pair]);
  return make_batch(chosen);
}

torch::Tensor source_tensor(const std::vector<std::vector<int32_t>>& rows) {
  size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  torch::Tensor source = padding(rows.size(), longest + 1);
  auto* out = source.data_ptr<int64_t>();
  for (const auto& row : rows) {
    *std::copy(row.begin(), row.end(), out) = kEnd;
    out += longest + 1;
  }
  return source;
}

}  // namespace transformer
