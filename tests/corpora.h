#pragma once

#include <memory>
#include <vector>

#include "base/temporary_directory.h"
#include "data/corpus.h"

namespace transformer {

/// A corpus of `num_pairs` pairs with ids below `vocabulary_size` and lengths `min_length` to `max_length`, all by
/// formula.
class FormulaCorpus {
 public:
  FormulaCorpus(int64_t num_pairs, int32_t vocabulary_size, int64_t max_length, int64_t min_length = 1) {
    const int64_t lengths = max_length - min_length + 1;
    CorpusWriter writer(directory_ / "corpus.bin", vocabulary_size);
    for (int64_t i = 0; i < num_pairs; ++i) {
      const auto source = row(i, min_length + i * 7 % lengths, vocabulary_size);
      const auto target = row(i + 1, min_length + i * 5 % lengths, vocabulary_size);
      writer.add({source, target, i + 1});
    }
    writer.finish();
    corpus_ = std::make_unique<Corpus>(directory_ / "corpus.bin");
  }

  Corpus& operator*() const { return *corpus_; }

 private:
  static std::vector<TokenId> row(int64_t seed, int64_t length, int32_t vocabulary_size) {
    std::vector<TokenId> ids;
    for (int64_t i = 0; i < length; ++i) {
      ids.push_back(4 + static_cast<TokenId>((seed * 31 + i * 17) % (vocabulary_size - 4)));
    }
    return ids;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Corpus> corpus_;
};

}  // namespace transformer
