#include "data/batch.h"

#include <span>

#include "data/tokenizer.h"

namespace transformer {
namespace {

using Pieces = std::span<const int32_t>;

/// Room for the sentences and one symbol with each.
Sentences empty_sentences(const std::vector<Pieces>& sentences) {
  std::vector<int64_t> lengths;
  for (const Pieces& pieces : sentences) lengths.push_back(std::ssize(pieces) + 1);
  Packing packing(std::move(lengths));
  return {torch::empty({packing.positions()}, torch::kLong), std::move(packing)};
}

Sentences ending(const std::vector<Pieces>& sentences) {
  Sentences packed = empty_sentences(sentences);
  auto* token = packed.tokens.mutable_data_ptr<int64_t>();
  for (const Pieces& pieces : sentences) {
    token = std::copy(pieces.begin(), pieces.end(), token);
    *token++ = kEnd;
  }
  return packed;
}

Sentences beginning(const std::vector<Pieces>& sentences) {
  Sentences packed = empty_sentences(sentences);
  auto* token = packed.tokens.mutable_data_ptr<int64_t>();
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
  return {ending(sources), beginning(targets), ending(targets).tokens};
}

Batch make_batch(const Corpus& corpus, const std::vector<int64_t>& pairs) {
  std::vector<SentencePair> chosen;
  for (const int64_t pair : pairs) chosen.push_back(corpus[pair]);
  return make_batch(chosen);
}

Sentences make_sources(const std::vector<std::vector<int32_t>>& sentences) {
  return ending({sentences.begin(), sentences.end()});
}

}  // namespace transformer
