#include "data/batch.h"

#include <ATen/record_function.h>

#include <span>

#include "ops/to_device.h"

namespace transformer {
namespace {

using Pieces = std::span<const TokenId>;

/// A PackedSequence with room for the sentences and one more symbol in each.
PackedSequence empty_sequences(const std::vector<Pieces>& sentences) {
  std::vector<int64_t> lengths;
  for (const Pieces& pieces : sentences) lengths.push_back(std::ssize(pieces) + 1);
  const Packing packing(std::move(lengths));
  return {torch::empty({packing.num_positions()}, torch::kLong), packing};
}

PackedSequence with_end(const std::vector<Pieces>& sentences, TokenId end) {
  PackedSequence packed = empty_sequences(sentences);
  auto* token = packed.data.mutable_data_ptr<int64_t>();
  for (const Pieces& pieces : sentences) {
    token = std::copy(pieces.begin(), pieces.end(), token);
    *token++ = end;
  }
  return packed;
}

PackedSequence with_start(const std::vector<Pieces>& sentences, TokenId start) {
  PackedSequence packed = empty_sequences(sentences);
  auto* token = packed.data.mutable_data_ptr<int64_t>();
  for (const Pieces& pieces : sentences) {
    *token++ = start;
    token = std::copy(pieces.begin(), pieces.end(), token);
  }
  return packed;
}

}  // namespace

Batch Batch::to(torch::Device device) const {
  return {source.to(device), target_in.to(device), to_device(target_out, device)};
}

Batch make_batch(const std::vector<SentencePair>& pairs, const SourceAndTarget<SpecialTokens>& special_tokens) {
  RECORD_USER_SCOPE("batch");
  std::vector<Pieces> sources, targets;
  for (const SentencePair& pair : pairs) {
    sources.push_back(pair.source);
    targets.push_back(pair.target);
  }
  const auto &source = special_tokens.source(), &target = special_tokens.target();
  return {with_end(sources, source.end), with_start(targets, target.decoder_start), with_end(targets, target.end).data};
}

Batch make_batch(const std::vector<SentencePair>& pairs, const std::vector<int64_t>& indices,
                 const SourceAndTarget<SpecialTokens>& special_tokens) {
  std::vector<SentencePair> chosen;
  for (const int64_t index : indices) chosen.push_back(pairs[static_cast<size_t>(index)]);
  return make_batch(chosen, special_tokens);
}

Batch make_batch(const SentencePairs& corpus, const std::vector<int64_t>& pairs) {
  std::vector<SentencePair> chosen;
  for (const int64_t pair : pairs) chosen.push_back(corpus[pair]);
  return make_batch(chosen, corpus.special_tokens());
}

PackedSequence make_sources(const std::vector<std::vector<TokenId>>& sentences, const SpecialTokens& special_tokens) {
  return with_end({sentences.begin(), sentences.end()}, special_tokens.end);
}

}  // namespace transformer
