#include "data/corpus.h"

#include <cstring>
#include <filesystem>
#include <limits>
#include <vector>

#include "base/atomic_file.h"
#include "base/read_file.h"
#include "catch.h"
#include "temporary_directory.h"

namespace transformer {
namespace {

using Ids = std::vector<int32_t>;

Ids copy(std::span<const int32_t> ids) { return {ids.begin(), ids.end()}; }

}  // namespace

TEST_CASE("corpus returns the pairs that were written") {
  const TemporaryDirectory directory;
  const std::string path = directory / "c.bin";
  {
    CorpusWriter writer(path);
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
}

TEST_CASE("corpus that is cut short or has another format is rejected") {
  const TemporaryDirectory directory;
  const std::string path = directory / "c.bin";
  CorpusWriter writer(path);
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

TEST_CASE("corpus: a pair outside of the ids is reported, whatever numbers its entry holds") {
  const TemporaryDirectory directory;
  const std::string path = directory / "c.bin";
  CorpusWriter writer(path);
  const Ids a = {4, 5, 6, 7};
  writer.add({a, a, 1});
  writer.finish();
  const std::string bytes = read_file(path);
  for (const int64_t first_id : {int64_t{1}, int64_t{-1}, std::numeric_limits<int64_t>::max()}) {
    std::string damaged = bytes;
    std::memcpy(damaged.data() + 8 * sizeof(int32_t), &first_id, sizeof(first_id));  // the entry follows the ids
    write_file_atomically(path, damaged);
    CHECK_THROWS_WITH(Corpus(path)[0], Catch::Contains("c.bin: the prepared corpus is damaged"));
  }
}

}  // namespace transformer
