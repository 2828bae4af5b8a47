#include "data/encoded_shard.h"

#include "base/atomic_file.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {
namespace {

const EncodedPair kPair = {.line = 12,
                           .file = 1,
                           .line_of_file = 3,
                           .source = {4, 5, 6},
                           .target = {7},
                           .unwritable = U"\u2603",
                           .hash = 0x123456789ABCDEFULL,
                           .is_copy = true,
                           .is_source_invalid = false,
                           .is_target_invalid = true,
                           .has_other_script = true};
const EncodedPair kEmpty = {.line = 13, .file = 0, .line_of_file = 4, .source = {}, .target = {}};

ShardHeader header() { return {{{"max_length", 9}}, VocabularyModels::separate("source", "target")}; }

void write_shard(const std::string& path) {
  ShardWriter writer(path, header());
  writer.add({kPair, kEmpty});
  writer.add({kPair});
  writer.finish(5);
}

/// All of a shard, at the end of which it throws what is wrong.
size_t read_all(const std::string& path) {
  ShardReader reader(path);
  size_t pairs = 0;
  for (auto block = reader.next(10, 2); !block.empty(); block = reader.next(10, 2)) pairs += block.size();
  return pairs;
}

}  // namespace

TEST_CASE("a shard gives back what was written") {
  const TemporaryDirectory directory;
  const std::string path = directory / "shard";
  write_shard(path);
  ShardReader reader(path);
  CHECK(reader.header().inputs == header().inputs);
  CHECK((reader.header().vocabularies == header().vocabularies));
  const EncodedBlock block = reader.next(10, 2);
  REQUIRE(block.size() == 2);
  CHECK(block[0].line == 12);
  CHECK(block[0].file == 1);
  CHECK(block[0].line_of_file == 3);
  CHECK(block[0].source == kPair.source);
  CHECK(block[0].target == kPair.target);
  CHECK((block[0].unwritable == kPair.unwritable));
  CHECK(block[0].hash == kPair.hash);
  CHECK(block[0].is_copy);
  CHECK_FALSE(block[0].is_source_invalid);
  CHECK(block[0].is_target_invalid);
  CHECK(block[0].has_other_script);
  CHECK(block[1].source.empty());
  CHECK_FALSE(block[1].is_copy);
  CHECK(reader.next(10, 2).size() == 1);
  CHECK(reader.next(10, 2).empty());
  CHECK(reader.num_blocks_of_text() == 5);
}

TEST_CASE("a shard whose pieces or files do not exist is damaged") {
  const TemporaryDirectory directory;
  const std::string path = directory / "shard";
  write_shard(path);
  CHECK_NOTHROW(ShardReader(path).next(VocabularySizes::separate(7, 8), 2));
  CHECK_THROWS_AS(ShardReader(path).next(VocabularySizes::separate(6, 8), 2), DamagedFile);
  CHECK_THROWS_AS(ShardReader(path).next(VocabularySizes::separate(7, 7), 2), DamagedFile);
  CHECK_THROWS_AS(ShardReader(path).next(8, 1), DamagedFile);
}

TEST_CASE("a shard that is cut short or has a changed byte is refused") {
  const TemporaryDirectory directory;
  const std::string path = directory / "shard", damaged = directory / "damaged";
  write_shard(path);
  const std::string bytes = read_file(path);
  for (size_t size = 0; size < bytes.size(); ++size) {
    write_file_atomically(damaged, bytes.substr(0, size));
    CHECK_THROWS_AS(read_all(damaged), DamagedFile);
    std::string changed = bytes;
    changed[size] = static_cast<char>(changed[size] ^ 0x10);
    write_file_atomically(damaged, changed);
    CHECK_THROWS_AS(read_all(damaged), DamagedFile);
  }
  CHECK(read_all(path) == 3);
}

}  // namespace transformer
