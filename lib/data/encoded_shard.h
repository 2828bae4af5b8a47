#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/json.h"
#include "base/read_file.h"
#include "data/encode_text.h"
#include "text/source_and_target.h"

namespace transformer {

/// What a shard of an encoded training text was made from, and with which vocabularies.
struct ShardHeader {
  nlohmann::json inputs;  // as in a manifest
  VocabularyModels vocabularies = std::string();
};

/// Writes a shard: some of the blocks of a text, encoded. The file exists once `finish` has returned. File layout,
/// little-endian: 8 bytes with the format's name and version, then records of their size (uint64), CRC-32 (uint32) and
/// bytes: the inputs as JSON, the model of the target's vocabulary, that of the source's, empty if both sides share
/// one, and the blocks; the last block has no pairs and is followed by the number of blocks of the whole text (int64).
class ShardWriter {
 public:
  /// Throws Error if the file cannot be created.
  ShardWriter(const std::string& path, const ShardHeader& header);

  /// Throws Error if writing fails.
  void add(const EncodedBlock& block);
  /// Completes the file. Throws Error if that fails.
  void finish(int64_t num_blocks_of_text);

 private:
  void write_record(std::string_view bytes);

  AtomicFile file_;
};

/// Whether the file exists and begins as a shard.
bool is_shard(const std::string& path);

/// Reads a shard.
class ShardReader {
 public:
  /// Throws Error if the file cannot be read, and DamagedFile if it is damaged or of another version.
  explicit ShardReader(const std::string& path);

  const std::string& path() const { return path_; }
  const ShardHeader& header() const { return header_; }
  /// The next block; empty at the end. Throws DamagedFile if it is damaged, or has pieces that are not in vocabularies
  /// of these sizes or pairs of another file than the first `num_files`.
  EncodedBlock next(const VocabularySizes& sizes, size_t num_files);
  /// The number of blocks of the whole text. `next` has returned an empty block.
  int64_t num_blocks_of_text() const { return num_blocks_of_text_; }

 private:
  std::string read_record();
  DamagedFile damaged() const;

  std::string path_;
  File file_;
  uint64_t bytes_left_;
  ShardHeader header_;
  int64_t num_blocks_of_text_ = 0;
};

}  // namespace transformer
