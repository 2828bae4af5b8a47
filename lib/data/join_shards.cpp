#include "data/join_shards.h"

#include <cstdio>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "data/manifest.h"

namespace transformer {
namespace {

/// The shards in the directory.
std::vector<ShardNumber> find_shards(const PreparedFiles& files) {
  std::vector<ShardNumber> shards;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(files.directory, none)) {
    long long number = 0, count = 0;
    const std::string name = entry.path().filename().string();
    // NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion): the name is compared with that of the numbers.
    if (std::sscanf(name.c_str(), "train.shard-%lld-of-%lld", &number, &count) != 2) continue;
    if (name == std::filesystem::path(files.shard(number, count)).filename()) shards.push_back({number, count});
  }
  return shards;
}

/// The number of shards that the directory should have.
int64_t count_of_shards(const PreparedFiles& files) {
  std::set<int64_t> counts;
  for (const ShardNumber& shard : find_shards(files)) counts.insert(shard.count);
  if (counts.empty()) {
    throw Error("{}: has no shards to join; run `transformer preprocess` with --shard 1/N to --shard N/N first",
                files.directory);
  }
  if (counts.size() > 1) {
    throw Error("{}: has shards of {} and of {}; remove those that do not belong together", files.directory,
                *counts.begin(), *counts.rbegin());
  }
  return *counts.begin();
}

}  // namespace

std::optional<ShardHeader> header_of_text(const std::string& path, const Json& inputs, size_t num_files) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    const ShardReader reader(path);
    if (difference_of_inputs(reader.header().inputs, inputs, 2 * num_files).empty()) return reader.header();
  } catch (const Error&) {
    return std::nullopt;  // damaged, or being replaced
  }
  return std::nullopt;
}

std::optional<ShardHeader> find_shard_header(const PreparedFiles& files, const Json& inputs, size_t num_files) {
  for (const ShardNumber& shard : find_shards(files)) {
    auto header = header_of_text(files.shard(shard.number, shard.count), inputs, num_files);
    if (header) return header;
  }
  return std::nullopt;
}

void remove_shards(const PreparedFiles& files, const Json& inputs, size_t num_files) {
  for (const ShardNumber& shard : find_shards(files)) {
    const std::string path = files.shard(shard.number, shard.count);
    if (header_of_text(path, inputs, num_files)) std::filesystem::remove(path);
  }
}

EncodedShards::EncodedShards(const PreparedFiles& files, const Json& inputs, size_t num_files) : num_files_(num_files) {
  const int64_t count = count_of_shards(files);
  for (int64_t number = 1; number <= count; ++number) {
    const std::string path = files.shard(number, count);
    if (!std::filesystem::exists(path)) {
      throw Error("{}: is missing; run `transformer preprocess --shard {}/{}` with this config first", path, number,
                  count);
    }
    const ShardReader& reader = readers_.emplace_back(path);
    const std::string difference = difference_of_inputs(reader.header().inputs, inputs, 2 * num_files);
    if (!difference.empty()) {
      throw Error("{}: was {}; remove it and run `transformer preprocess --shard {}/{}` again", path, difference,
                  number, count);
    }
    if (reader.header().vocabularies != vocabularies()) {
      throw Error("{}: has another vocabulary than {}; encode both again with one version of the program", path,
                  readers_.front().path());
    }
  }
}

void EncodedShards::read(const VocabularySizes& sizes, const BlockCallback& add) {
  int64_t num_blocks = 0;
  while (true) {
    ShardReader& reader = readers_[static_cast<size_t>(num_blocks) % readers_.size()];
    EncodedBlock block = reader.next(sizes, num_files_);
    if (block.empty()) {
      if (reader.num_blocks_of_text() == num_blocks) return;
      throw Error("{}: was made of a text of another length; encode all shards again", reader.path());
    }
    add(block);
    ++num_blocks;
  }
}

void EncodedShards::remove() const {
  for (const ShardReader& reader : readers_) std::filesystem::remove(reader.path());
}

}  // namespace transformer
