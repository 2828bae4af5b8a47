#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/read_file.h"
#include "data/sentence_pairs.h"
#include "text/source_and_target.h"

namespace transformer {

struct CorpusEntry;

/// A range of the corpus's pairs, and how often an epoch contains each of them.
struct CorpusPart {
  int64_t first, size;
  double weight = 1;
};

/// The numbers of pieces of a pair's sides, without begin and end symbols.
struct PieceCounts {
  int64_t source, target;
};

/// Writes a corpus file with little memory. The file exists once `finish` has returned.
class CorpusWriter {
 public:
  /// The ids are below the sizes of the vocabularies. Throws Error if files cannot be created in the directory of
  /// `path`.
  CorpusWriter(const std::string& path, VocabularySizes vocabularies);

  /// Throws Error if writing fails, for example because the disk is full.
  void add(const SentencePair& pair);
  /// Completes the file and puts it in the place of an older one. Throws Error if that fails.
  void finish();

 private:
  /// Appends bytes that a block checksum covers.
  void write(std::string_view bytes);

  std::string path_;
  VocabularySizes vocabularies_;
  AtomicFile file_;
  std::vector<uint32_t> block_checksums_;
  size_t block_bytes_ = 0;  // in the last, unfinished block
  File index_;              // in a file of its own until `finish` appends it to the ids
  int64_t num_pairs_ = 0;
  int64_t num_ids_ = 0;
  uint32_t checksum_ = 0;
};

/// A corpus file, mapped into memory, so that only the pages in use are read. File layout, little-endian: all ids
/// (int32; each pair's source, then its target), padded to a multiple of 8 bytes; 24 bytes for each pair (first id and
/// line, int64; source and target length, int32); the CRC-32 of each MiB of all that (uint32), padded to a multiple of
/// 8 bytes; then the number of pairs, the number of ids and the ids' CRC-32 (int64 each), the sizes of the target and
/// of the source vocabulary (int32 each; the latter 0 if both sides share one), the CRC-32 of the checksums and of
/// these numbers (int64), and 8 bytes with the format's name and version.
class Corpus : public SentencePairs {
 public:
  /// `parts` divides the pairs; if it is empty, all pairs are one part with weight 1. `special_tokens` are those of the
  /// vocabularies. Throws Error if the file cannot be read, and DamagedFile if it is damaged or of another version.
  /// Pairs are checked when they are first read, so that a large corpus opens at once.
  explicit Corpus(const std::string& path, std::vector<CorpusPart> parts = {},
                  SourceAndTarget<SpecialTokens> special_tokens = SpecialTokens());
  int64_t size() const { return num_pairs_; }
  const std::vector<CorpusPart>& parts() const { return parts_; }
  /// The checksum of all ids, which identifies the corpus.
  int64_t checksum() const { return checksum_; }
  /// Throws DamagedFile if a checksum does not fit, if the index points outside of the file, or if an id is not one of
  /// a piece of the vocabulary.
  SentencePair operator[](int64_t pair) const override;
  /// The numbers of pieces of a pair's sides. Reads the index of the corpus only, a tenth of it or less. Throws
  /// DamagedFile if a checksum does not fit.
  PieceCounts piece_counts(int64_t pair) const;
  const SourceAndTarget<SpecialTokens>& special_tokens() const override { return special_tokens_; }

 private:
  DamagedFile damaged_pair(int64_t pair) const;
  size_t offset_of(const void* place) const;
  /// A pair's entry in the index. Throws DamagedFile if its checksum does not fit.
  const CorpusEntry& entry_of(int64_t pair) const;
  /// Checks the blocks of these bytes that have not been checked before; returns whether they are intact.
  bool is_intact(size_t begin, size_t end) const;

  std::string path_;
  MappedFile file_;
  std::vector<CorpusPart> parts_;
  SourceAndTarget<SpecialTokens> special_tokens_;
  const TokenId* ids_ = nullptr;
  const CorpusEntry* index_ = nullptr;
  const uint32_t* block_checksums_ = nullptr;
  int64_t num_pairs_ = 0, num_ids_ = 0;
  int64_t checksum_ = 0;
  int64_t source_vocabulary_size_ = 0, target_vocabulary_size_ = 0;
  mutable std::vector<std::atomic<bool>> checked_;  // for each block
};

}  // namespace transformer
