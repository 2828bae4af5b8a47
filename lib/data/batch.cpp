#include "data/batch.h"

#include <ATen/record_function.h>

#include <span>

#include "ops/to_device.h"

namespace transformer {
namespace {

using Pieces = std::span<const TokenId>;

/// A PackedSequence with room for the sentences and, where `has_symbol` is true, one more symbol.
template <class HasSymbol>
PackedSequence empty_sequences(const std::vector<Pieces>& sentences, const HasSymbol& has_symbol) {
  std::vector<int64_t> lengths;
  for (const Pieces& pieces : sentences) lengths.push_back(std::ssize(pieces) + (has_symbol(pieces) ? 1 : 0));
  const Packing packing(std::move(lengths));
  return {torch::empty({packing.num_positions()}, torch::kLong), packing};
}

template <class HasEnd>
PackedSequence with_end(const std::vector<Pieces>& sentences, TokenId end, const HasEnd& has_end) {
  PackedSequence packed = empty_sequences(sentences, has_end);
  auto* token = packed.data.mutable_data_ptr<int64_t>();
  for (const Pieces& pieces : sentences) {
    token = std::copy(pieces.begin(), pieces.end(), token);
    if (has_end(pieces)) *token++ = end;
  }
  return packed;
}

constexpr auto kAlways = [](const Pieces& /*pieces*/) { return true; };

PackedSequence sources_with_end(const std::vector<Pieces>& sentences, const SpecialTokens& special) {
  // An encoder needs at least one position.
  return with_end(sentences, special.end,
                  [&](const Pieces& pieces) { return special.source_has_end || pieces.empty(); });
}

PackedSequence with_start(const std::vector<Pieces>& sentences, TokenId start) {
  PackedSequence packed = empty_sequences(sentences, kAlways);
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
  return {sources_with_end(sources, source), with_start(targets, target.decoder_start),
          with_end(targets, target.end, kAlways).data};
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
  return sources_with_end({sentences.begin(), sentences.end()}, special_tokens);
}

}  // namespace transformer
