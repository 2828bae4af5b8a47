#include "data/synthetic_corpus.h"

#include "base/temporary_directory.h"
#include "catch.h"
#include "data/corpus.h"

namespace transformer {

TEST_CASE("synthetic corpus is determined by its seed and has WMT's lengths") {
  static constexpr int64_t kPairs = 5000, kVocabulary = 1000;
  const TemporaryDirectory directory;
  const auto make = [&](const std::string& name, uint64_t seed) {
    write_synthetic_corpus(directory / name,
                           {.pairs = kPairs, .vocabulary_size = kVocabulary, .max_length = 256, .seed = seed});
    return std::make_unique<Corpus>(directory / name);
  };
  const auto corpus = make("a", 1), same = make("b", 1), other = make("c", 2);
  CHECK(corpus->checksum() == same->checksum());
  CHECK(corpus->checksum() != other->checksum());
  REQUIRE(corpus->size() == kPairs);
  double source = 0, target = 0;
  TokenId least = kVocabulary, most = 0;
  for (int64_t i = 0; i < kPairs; ++i) {
    const SentencePair pair = (*corpus)[i];
    REQUIRE((!pair.source.empty() && !pair.target.empty()));
    source += static_cast<double>(pair.source.size() + 1);
    target += static_cast<double>(pair.target.size() + 1);
    for (const TokenId piece : pair.target) {
      least = std::min(least, piece);
      most = std::max(most, piece);
    }
  }
  CHECK(source / kPairs == Approx(28).epsilon(0.03));
  CHECK(target / kPairs == Approx(28).epsilon(0.03));
  CHECK(least == 4);  // the first id after the symbols
  CHECK(most < kVocabulary);
}

TEST_CASE("synthetic sentences have no special symbol of another vocabulary") {
  const TemporaryDirectory directory;
  const SpecialTokens special{.pad = 6, .unknown = 0, .begin = 1, .end = 2};
  write_synthetic_corpus(directory / "corpus",
                         {.pairs = 100, .vocabulary_size = 50, .max_length = 20, .seed = 1, .special_tokens = special});
  const Corpus corpus(directory / "corpus", /*parts=*/{}, special);
  TokenId least = 50;
  for (int64_t i = 0; i < corpus.size(); ++i) {
    for (const TokenId piece : corpus[i].source) least = std::min(least, piece);
  }
  CHECK(least == 7);
}

TEST_CASE("synthetic sentences are no longer than they may be") {
  const TemporaryDirectory directory;
  write_synthetic_corpus(directory / "corpus", {.pairs = 100, .vocabulary_size = 50, .max_length = 20, .seed = 1});
  const Corpus corpus(directory / "corpus");
  size_t longest = 0;
  for (int64_t i = 0; i < corpus.size(); ++i) longest = std::max(longest, corpus[i].source.size());
  CHECK(longest == 20);
}

}  // namespace transformer
