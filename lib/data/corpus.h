#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include "base/atomic_file.h"
#include "base/error.h"

namespace transformer {

/// One sentence pair of the corpus: piece ids without the begin and end symbols, and its line in the text, counted from
/// 1 through all files.
struct SentencePair {
  std::span<const int32_t> source, target;
  int64_t line;
};

/// Writes a corpus file with constant memory use. The file exists once `finish` has returned.
class CorpusWriter {
 public:
  explicit CorpusWriter(const std::string& path);

  void add(const SentencePair& pair);
  void finish();

 private:
  Error disk_full() const;

  std::string path_;
  AtomicFile ids_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> index_;  // in a file of its own until `finish` appends it to the ids
  int64_t num_pairs_ = 0;
  int64_t num_ids_ = 0;
  uint32_t checksum_ = 0;
};

/// A corpus file, mapped into memory, so that only the pages in use are read. File layout, little-endian: all ids
/// (int32; each pair's source, then its target), padded to a multiple of 8 bytes; 24 bytes for each pair (first id and
/// line, int64; source and target length, int32); then the number of pairs, the number of ids and the ids' checksum
/// (int64 each), and 8 bytes with the format's name and version.
class Corpus {
 public:
  /// Throws Error if the file is missing, damaged or of another version.
  explicit Corpus(const std::string& path);
  ~Corpus();
  Corpus(const Corpus&) = delete;
  Corpus& operator=(const Corpus&) = delete;

  int64_t size() const { return num_pairs_; }
  /// The checksum of all ids, which identifies the corpus.
  int64_t checksum() const { return checksum_; }
  /// Throws DamagedFile if the index points outside of the file.
  SentencePair operator[](int64_t pair) const;

 private:
  std::string path_;
  void* mapping_ = nullptr;
  size_t mapped_bytes_ = 0;
  const int32_t* ids_ = nullptr;
  const struct CorpusEntry* index_ = nullptr;
  int64_t num_pairs_ = 0, num_ids_ = 0;
  int64_t checksum_ = 0;
};

}  // namespace transformer
