#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "data/sentence_pairs.h"
#include "text/tokenizers.h"

namespace transformer {

/// Subword regularization (Kudo, 2018, arXiv 1804.10959; of BPE: Provilkov et al., 2020, arXiv 1910.13267): segments
/// the sentences of a step at random, differently in each step. The segmentations depend only on the seed, the step and
/// its pairs, so all ranks, and a resumed run, draw the same ones.
class SegmentationSampler : public SentencePairs {
 public:
  /// `alpha` is the probability with which BPE leaves out a merge, and the exponent of a unigram model's probabilities.
  /// A sentence keeps its segmentation in `pairs` if another one has more than `max_length` pieces, or if it has a
  /// character that the vocabulary lacks.
  SegmentationSampler(SentencePairs& pairs, const Tokenizers& tokenizers, double alpha, int64_t max_length,
                      uint64_t seed);

  /// The segmentation that the last `begin_step` drew for this pair, or the one in `pairs` if it drew none.
  SentencePair operator[](int64_t pair) const override;
  const SourceAndTarget<SpecialTokens>& special_tokens() const override { return pairs_.special_tokens(); }
  /// Calls begin_step of `pairs` and draws the segmentations of the step's pairs.
  void begin_step(const std::vector<int64_t>& pairs, int64_t step) override;

 private:
  struct Segmentation {
    std::vector<TokenId> source, target;
  };

  std::vector<TokenId> resegment(const Tokenizer& tokenizer, std::span<const TokenId> pieces) const;

  SentencePairs& pairs_;
  const Tokenizers& tokenizers_;
  double alpha_;
  int64_t max_length_;
  uint64_t seed_;
  std::unordered_map<int64_t, Segmentation> segmentations_;  // by pair
};

}  // namespace transformer
