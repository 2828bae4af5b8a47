#include "data/batch.h"

#include <ATen/record_function.h>

#include <span>

#include "ops/to_device.h"
#include "text/tokenizer.h"

namespace transformer {
namespace {

using Pieces = std::span<const int32_t>;

/// A PackedSequence with room for the sentences and one more symbol in each.
PackedSequence empty_sequences(const std::vector<Pieces>& sentences) {
  std::vector<int64_t> lengths;
  for (const Pieces& pieces : sentences) lengths.push_back(std::ssize(pieces) + 1);
  const Packing packing(std::move(lengths));
  return {torch::empty({packing.num_positions()}, torch::kLong), packing};
}

PackedSequence with_end(const std::vector<Pieces>& sentences) {
  PackedSequence packed = empty_sequences(sentences);
  auto* token = packed.data.mutable_data_ptr<int64_t>();
  for (const Pieces& pieces : sentences) {
    token = std::copy(pieces.begin(), pieces.end(), token);
    *token++ = kEnd;
  }
  return packed;
}

PackedSequence with_begin(const std::vector<Pieces>& sentences) {
  PackedSequence packed = empty_sequences(sentences);
  auto* token = packed.data.mutable_data_ptr<int64_t>();
  for (const Pieces& pieces : sentences) {
    *token++ = kBegin;
    token = std::copy(pieces.begin(), pieces.end(), token);
  }
  return packed;
}

}  // namespace

Batch Batch::to(torch::Device device) const {
  return {source.to(device), target_in.to(device), to_device(target_out, device)};
}

Batch make_batch(const std::vector<SentencePair>& pairs) {
  RECORD_USER_SCOPE("batch");
  std::vector<Pieces> sources, targets;
  for (const SentencePair& pair : pairs) {
    sources.push_back(pair.source);
    targets.push_back(pair.target);
  }
  return {with_end(sources), with_begin(targets), with_end(targets).data};
}

Batch make_batch(const std::vector<SentencePair>& pairs, const std::vector<int64_t>& indices) {
  std::vector<SentencePair> chosen;
  for (const int64_t index : indices) chosen.push_back(pairs[static_cast<size_t>(index)]);
  return make_batch(chosen);
}

Batch make_batch(const SentencePairs& corpus, const std::vector<int64_t>& pairs) {
  std::vector<SentencePair> chosen;
  for (const int64_t pair : pairs) chosen.push_back(corpus[pair]);
  return make_batch(chosen);
}

PackedSequence make_sources(const std::vector<std::vector<int32_t>>& sentences) {
  return with_end({sentences.begin(), sentences.end()});
}

}  // namespace transformer
