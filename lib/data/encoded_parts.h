#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/json.h"
#include "data/encode_text.h"
#include "data/encoded_shard.h"
#include "data/prepared_files.h"

namespace transformer {

/// The first parts of a large training text in encoded form, so that a preparation goes on where an earlier one
/// ended before its time. Each part is a file with the layout of a shard (ShardWriter) and kBlocks consecutive blocks
/// of the text.
class EncodedParts {
 public:
  static constexpr int64_t kBlocks = 100;

  /// Whether a text of so many lines is long enough for parts.
  static bool are_worthwhile(int64_t num_lines) { return num_lines > kBlocks * int64_t{TextPart::kBlockLines}; }

  /// Finds the parts that were made of the same training text with the same settings (inputs_json), and removes all
  /// others. `num_files`: of the training text.
  EncodedParts(const PreparedFiles& files, Json inputs, size_t num_files);

  /// How many blocks of the text the parts that were found should have.
  int64_t num_found_blocks() const { return num_found_ * kBlocks; }
  /// The vocabularies of the parts that were found; null if there are none.
  const std::optional<VocabularyModels>& vocabularies() const { return vocabularies_; }
  /// Passes on the blocks of the parts that were found, up to the first one that is damaged, which is warned of.
  /// Returns the number of blocks.
  int64_t read(const VocabularySizes& sizes, const BlockCallback& add);

  /// Keeps the next block of the text, which was encoded with these vocabularies. If it cannot be written, for example
  /// because the disk is full, removes all parts with a warning, and keeps no more.
  void add(const EncodedBlock& block, const VocabularyModels& vocabularies);

  /// Removes the files of all parts, and no others with such names.
  static void remove_from(const PreparedFiles& files);

 private:
  const PreparedFiles files_;
  const Json inputs_;
  const size_t num_files_;
  std::optional<VocabularyModels> vocabularies_;
  int64_t num_found_ = 0;  // complete parts of earlier preparations
  int64_t num_parts_ = 0;  // complete parts, those of this preparation included
  bool keeps_more_ = true;
  std::unique_ptr<ShardWriter> writer_;  // of the part that is not complete yet
  int64_t num_blocks_ = 0;               // of that part
};

}  // namespace transformer
