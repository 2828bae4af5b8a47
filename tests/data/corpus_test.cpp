#include "data/corpus.h"

#include <filesystem>
#include <vector>

#include "base/atomic_file.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {
namespace {

using Ids = std::vector<TokenId>;

Ids copy(std::span<const TokenId> ids) { return {ids.begin(), ids.end()}; }

}  // namespace

TEST_CASE("corpus returns the pairs that were written") {
  const TemporaryDirectory directory;
  const std::string path = directory / "c.bin";
  {
    CorpusWriter writer(path, /*vocabulary_size=*/100);
    const Ids a = {4, 5, 6}, b = {7}, c = {8, 9};
    writer.add({a, b, 1});
    writer.add({b, c, 3});
    CHECK(!std::filesystem::exists(path));  // the file exists only when it is complete
    writer.finish();
  }
  const Corpus corpus(path);
  REQUIRE(corpus.size() == 2);
  CHECK(copy(corpus[0].source) == Ids{4, 5, 6});
  CHECK(copy(corpus[0].target) == Ids{7});
  CHECK(copy(corpus[1].source) == Ids{7});
  CHECK(copy(corpus[1].target) == Ids{8, 9});
  CHECK(corpus[1].line == 3);
  CHECK(corpus.piece_counts(0).source == 3);
  CHECK(corpus.piece_counts(1).target == 2);
}

TEST_CASE("corpus that is cut short or has another format is rejected") {
  const TemporaryDirectory directory;
  const std::string path = directory / "c.bin";
  CorpusWriter writer(path, /*vocabulary_size=*/100);
  const Ids a = {4, 5, 6};
  writer.add({a, a, 1});
  writer.finish();
  const std::string bytes = read_file(path);
  write_file_atomically(path, bytes.substr(0, bytes.size() - 8));
  CHECK_THROWS_WITH(Corpus(path), Catch::Contains("c.bin: the prepared corpus is damaged"));
  write_file_atomically(path, bytes.substr(8));
  CHECK_THROWS_WITH(Corpus(path), Catch::Contains("damaged"));
  write_file_atomically(path, "short");
  CHECK_THROWS_WITH(Corpus(path), Catch::Contains("cut short"));
  CHECK_THROWS_WITH(Corpus(directory / "none"), Catch::Contains("cannot be read"));
}

TEST_CASE("corpus: every changed bit of a pair, of its entry and of the footer is found") {
  const TemporaryDirectory directory;
  const std::string path = directory / "c.bin";
  CorpusWriter writer(path, /*vocabulary_size=*/100);
  const Ids a = {4, 5, 6}, b = {7, 8};
  writer.add({a, b, 1});
  writer.add({b, a, 2});
  writer.finish();
  const std::string bytes = read_file(path);
  for (size_t i = 0; i < bytes.size(); ++i) {
    INFO("byte " << i);
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
    write_file_atomically(path, damaged);
    CHECK_THROWS_AS(Corpus(path)[1], DamagedFile);
  }
}

TEST_CASE("corpus: damage is found in the pair that is read, in a corpus of several blocks") {
  const TemporaryDirectory directory;
  const std::string path = directory / "c.bin";
  constexpr int64_t kPairs = 3000, kLength = 200;  // 4.8 MB of ids
  CorpusWriter writer(path, /*vocabulary_size=*/100);
  for (int64_t i = 0; i < kPairs; ++i) {
    const Ids ids(kLength, 4 + static_cast<TokenId>(i % 90));
    writer.add({ids, ids, i + 1});
  }
  writer.finish();
  std::string bytes = read_file(path);
  bytes[3 << 20] ^= 1;
  write_file_atomically(path, bytes);
  const Corpus corpus(path);
  CHECK(corpus[0].source[0] == 4);
  CHECK(corpus[kPairs - 1].line == kPairs);
  CHECK_THROWS_WITH(corpus[2000], Catch::Contains("c.bin: pair 2001 is damaged; run `transformer preprocess` again"));
}

TEST_CASE("corpus: each side has the size of its own vocabulary") {
  const TemporaryDirectory directory;
  const std::string path = directory / "c.bin";
  const Ids small = {4, 1, 19}, large = {4, 99};
  const auto write = [&](const Ids& source, const Ids& target) {
    CorpusWriter writer(path, VocabularySizes::separate(/*source=*/20, /*target=*/100));
    writer.add({source, target, 1});
    writer.finish();
  };
  write(small, large);
  CHECK(Corpus(path)[0].target[1] == 99);
  write(large, small);
  CHECK_THROWS_AS(Corpus(path)[0], DamagedFile);
}

TEST_CASE("corpus: ids that are no pieces of the vocabulary are found") {
  const TemporaryDirectory directory;
  const std::string path = directory / "c.bin";
  const Ids good = {4, 1, 99};
  for (const TokenId id : {0, 2, 3, 100, -1}) {
    CorpusWriter writer(path, /*vocabulary_size=*/100);
    const Ids bad = {4, id};
    writer.add({good, good, 1});
    writer.add({good, bad, 2});
    writer.finish();
    const Corpus corpus(path);
    CHECK(corpus[0].target.size() == 3);
    CHECK_THROWS_WITH(corpus[1], Catch::Contains("pair 2 is damaged"));
  }
}

TEST_CASE("corpus: which ids are no pieces depends on each side's special symbols") {
  const TemporaryDirectory directory;
  const std::string path = directory / "c.bin";
  const SpecialTokens marian{.pad = 99, .unknown = 1, .begin = 0, .end = 0};
  const auto special = SourceAndTarget<SpecialTokens>::separate(marian, SpecialTokens());
  const auto is_intact = [&](const Ids& source, const Ids& target) {
    CorpusWriter writer(path, /*vocabulary_size=*/100);
    writer.add({source, target, 1});
    writer.finish();
    try {
      Corpus(path, /*parts=*/{}, special)[0];
      return true;
    } catch (const DamagedFile&) {
      return false;
    }
  };
  CHECK(is_intact({1, 2, 3, 98}, {1, 4, 99}));
  CHECK_FALSE(is_intact({0}, {4}));
  CHECK_FALSE(is_intact({99}, {4}));
  CHECK_FALSE(is_intact({4}, {3}));
}

}  // namespace transformer
