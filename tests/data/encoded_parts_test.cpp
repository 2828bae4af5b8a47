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

std::vector<int64_t> lines_of(EncodedParts& parts) {
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
    EncodedParts parts(files, inputs_with(9), 1);
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

TEST_CASE("of parts that are damaged, the blocks before are used and no more parts are kept") {
  const TemporaryDirectory directory;
  const PreparedFiles files(directory.path());
  write_parts(files, 300);
  std::string bytes = read_file(files.part(2));
  bytes[bytes.size() / 2] ^= 1;
  write_file_atomically(files.part(2), bytes);
  EncodedParts parts(files, inputs_with(9), 1);
  const auto lines = lines_of(parts);
  CHECK(lines.size() > 100);
  CHECK(lines.size() < 200);
  for (size_t i = 0; i < lines.size(); ++i) CHECK(lines[i] == static_cast<int64_t>(i));
  for (int64_t line = std::ssize(lines); line < 300; ++line) parts.add(block_of(line), kModels);
  CHECK(std::filesystem::exists(files.part(1)));
  CHECK_FALSE(std::filesystem::exists(files.part(2)));
  CHECK_FALSE(std::filesystem::exists(files.part(3)));
}

TEST_CASE("files of others with the names of parts stay") {
  const TemporaryDirectory directory;
  const PreparedFiles files(directory.path());
  const std::string text = "a text of the user's";
  write_file_atomically(files.part(1), text);
  write_parts(files, 150);
  EncodedParts::remove_from(files);
  CHECK(read_file(files.part(1)) == text);
}

TEST_CASE("parts behind a gap are removed, too") {
  const TemporaryDirectory directory;
  const PreparedFiles files(directory.path());
  write_parts(files, 350);
  write_file_atomically(files.part(4) + ".tmp.abcDEF", "the beginning of a part");
  std::filesystem::remove(files.part(1));
  EncodedParts::remove_from(files);
  CHECK(std::filesystem::is_empty(directory.path()));
}

}  // namespace transformer
