#include "data/encoded_parts.h"

#include <filesystem>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {
namespace {

const VocabularyModels kModels = VocabularyModels::separate("source", "target");
const VocabularySizes kSizes = 1000;

Json inputs_with(int max_length) {
  return {{"max_length", max_length}, {"files", Json::array({{{"path", "a"}}, {{"path", "b"}}})}};
}

EncodedBlock block_of(int64_t line) {
  EncodedBlock block(1);
  block[0].line = line;
  block[0].source = block[0].target = {static_cast<TokenId>(line % 1000)};
  return block;
}

std::vector<int64_t> lines_of(const EncodedParts& parts) {
  std::vector<int64_t> lines;
  parts.read(kSizes, [&](EncodedBlock& block) { lines.push_back(block.at(0).line); });
  return lines;
}

/// Parts of which so many blocks were added, as a process that was killed leaves them.
void write_parts(const PreparedFiles& files, int64_t num_blocks) {
  EncodedParts parts(files, inputs_with(9), 1);
  for (int64_t line = parts.num_found_blocks(); line < num_blocks; ++line) parts.add(block_of(line), kModels);
}

}  // namespace

TEST_CASE("a preparation finds the complete parts that an earlier one has encoded, and adds further ones") {
  const TemporaryDirectory directory;
  const PreparedFiles files(directory.path());
  write_parts(files, 250);
  {
    const EncodedParts parts(files, inputs_with(9), 1);
    REQUIRE(parts.num_found_blocks() == 200);
    CHECK((parts.vocabularies() == kModels));
    const auto lines = lines_of(parts);
    REQUIRE(lines.size() == 200);
    for (int64_t line = 0; line < 200; ++line) CHECK(lines[static_cast<size_t>(line)] == line);
  }
  write_parts(files, 300);
  CHECK(EncodedParts(files, inputs_with(9), 1).num_found_blocks() == 300);
  EncodedParts::remove_from(files);
  CHECK(std::filesystem::is_empty(directory.path()));
}

TEST_CASE("parts of another text, with other settings or a damaged beginning are removed") {
  const TemporaryDirectory directory;
  const PreparedFiles files(directory.path());
  write_parts(files, 300);
  write_file_atomically(files.part(4) + ".tmp.abcDEF", "the beginning of a part");
  const std::string second = read_file(files.part(2));
  write_file_atomically(files.part(2), "TRFSHRD1?" + second);
  const EncodedParts found(files, inputs_with(9), 1);
  CHECK(found.num_found_blocks() == 100);
  CHECK_FALSE(std::filesystem::exists(files.part(2)));
  CHECK_FALSE(std::filesystem::exists(files.part(3)));
  CHECK_FALSE(std::filesystem::exists(files.part(4) + ".tmp.abcDEF"));
  const EncodedParts other(files, inputs_with(8), 1);
  CHECK(other.num_found_blocks() == 0);
  CHECK_FALSE(other.vocabularies().has_value());
  CHECK(std::filesystem::is_empty(directory.path()));
}

TEST_CASE("a part that is damaged behind its beginning is named") {
  const TemporaryDirectory directory;
  const PreparedFiles files(directory.path());
  write_parts(files, 100);
  std::string bytes = read_file(files.part(1));
  bytes[bytes.size() - 40] ^= 1;
  write_file_atomically(files.part(1), bytes);
  CHECK_THROWS_WITH(lines_of(EncodedParts(files, inputs_with(9), 1)),
                    Catch::Contains("train.part-1: the shard is damaged"));
}

}  // namespace transformer
