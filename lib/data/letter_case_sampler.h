#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/corpus.h"
#include "data/data_config.h"
#include "data/sentence_pairs.h"
#include "text/tokenizers.h"

namespace transformer {

/// Shows some pairs of each step in other letter cases, so that a model learns to translate headlines and text in
/// capitals: a share `data.all_caps` has both sides in capitals, and a share `data.title_case` has a source whose words
/// begin with capitals. Which pairs depends only on the seed, the step and the pair, so all ranks, and a resumed run,
/// choose the same ones.
class LetterCaseSampler : public SentencePairs {
 public:
  /// A pair keeps its case if it has a character that the vocabulary lacks, or would have one, or more than
  /// `data.max_length` pieces on a side. So do the tags of the corpora.
  LetterCaseSampler(const Corpus& corpus, const Tokenizers& tokenizers, const DataConfig& config, uint64_t seed);

  /// The pair as the last `begin_step` chose, or as in the corpus.
  SentencePair operator[](int64_t pair) const override;
  const SourceAndTarget<SpecialTokens>& special_tokens() const override { return corpus_.special_tokens(); }
  /// Chooses the case of a step's pairs.
  void begin_step(const std::vector<int64_t>& pairs, int64_t step) override;

 private:
  struct Pieces {
    std::vector<TokenId> source, target;
  };

  /// The pair in capitals, or with its source in title case; nullopt if it must keep its case.
  std::optional<Pieces> in_capitals(const SentencePair& pair) const;
  std::optional<Pieces> in_title_case(const SentencePair& pair) const;

  const Corpus& corpus_;
  const Tokenizers& tokenizers_;
  double all_caps_, title_case_;
  int64_t max_length_;
  uint64_t seed_;
  std::vector<std::string> tags_;                // as the source's tokenizer writes them, each with a blank
  std::unordered_map<int64_t, Pieces> changed_;  // by pair
};

}  // namespace transformer
