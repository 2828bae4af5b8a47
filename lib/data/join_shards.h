#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/encode_text.h"
#include "data/encoded_shard.h"
#include "data/prepared_files.h"

namespace transformer {

/// One of `count` shards of a training text, counted from 1.
struct ShardNumber {
  int64_t number, count;

  TextPart part() const { return {.first = number - 1, .step = count}; }
};

/// The header of a file of encoded text; null if there is none, if it was made of other training text or with other
/// settings, or if it cannot be read. `num_files`: of the training text.
std::optional<ShardHeader> header_of_text(const std::string& path, const Json& inputs, size_t num_files);

/// The header of a shard in the prepared directory that was made of the same training text with the same settings; null
/// if there is none. `num_files`: of the training text.
std::optional<ShardHeader> find_shard_header(const PreparedFiles& files, const Json& inputs, size_t num_files);

/// Removes the shards for which find_shard_header looks: those that a join which was killed has left.
void remove_shards(const PreparedFiles& files, const Json& inputs, size_t num_files);

/// All shards of a training text, from the prepared directory.
class EncodedShards {
 public:
  /// Throws Error if there are no shards, if one is missing, if there are shards of several counts, if they were made
  /// of other training text or with other settings or vocabularies, and if one is damaged. `num_files`: of the training
  /// text.
  EncodedShards(const PreparedFiles& files, const Json& inputs, size_t num_files);

  const VocabularyModels& vocabularies() const { return readers_.front().header().vocabularies; }
  /// Passes on the blocks of all shards in the order of the text. Throws Error if a shard is damaged or ends too early.
  void read(const VocabularySizes& sizes, const BlockCallback& add);
  /// Removes the files.
  void remove() const;

 private:
  size_t num_files_;
  std::vector<ShardReader> readers_;
};

}  // namespace transformer
