#include "data/segmentation_sampler.h"

#include <algorithm>
#include <future>

#include "base/splitmix64.h"

namespace transformer {

SegmentationSampler::SegmentationSampler(SentencePairs& pairs, const Tokenizers& tokenizers, double alpha,
                                         int64_t max_length, uint64_t seed)
    : pairs_(pairs), tokenizers_(tokenizers), alpha_(alpha), max_length_(max_length), seed_(seed) {}

void SegmentationSampler::begin_step(const std::vector<int64_t>& pairs, int64_t step) {
  segmentations_.clear();
  pairs_.begin_step(pairs, step);
  const auto draw = [&] {
    Tokenizer::seed_sampling(step_seed(seed_, step));
    for (const int64_t index : pairs) {
      if (segmentations_.contains(index)) continue;  // an epoch may have a pair several times
      const SentencePair pair = pairs_[index];
      segmentations_.emplace(index, Segmentation{resegment(tokenizers_.source(), pair.source),
                                                 resegment(tokenizers_.target(), pair.target)});
    }
  };
  // SentencePiece seeds the generator of a thread when the thread first uses it, and never again.
  std::async(std::launch::async, draw).get();
}

SentencePair SegmentationSampler::operator[](int64_t pair) const {
  const auto sampled = segmentations_.find(pair);
  if (sampled == segmentations_.end()) return pairs_[pair];
  return {sampled->second.source, sampled->second.target, pairs_[pair].line};
}

std::vector<TokenId> SegmentationSampler::resegment(const Tokenizer& tokenizer, std::span<const TokenId> pieces) const {
  if (std::find(pieces.begin(), pieces.end(), tokenizer.special_tokens().unknown) == pieces.end()) {
    auto sampled = tokenizer.sample(tokenizer.decode({pieces.begin(), pieces.end()}), alpha_);
    if (std::ssize(sampled) <= max_length_) return sampled;
  }
  return {pieces.begin(), pieces.end()};
}

}  // namespace transformer
