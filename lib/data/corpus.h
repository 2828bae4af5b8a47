#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include "base/atomic_file.h"

namespace transformer {

/// One sentence pair of the corpus: piece ids without symbols, and its line in the text (from 1; where several files
/// were read, counted through all of them).
struct SentencePair {
  std::span<const int32_t> source, target;
  int64_t line;
};

/// Writes a corpus file; memory use does not grow with it. The file is there once `finish` returns.
class CorpusWriter {
 public:
  explicit CorpusWriter(const std::string& path);

  void add(const SentencePair& pair);
  void finish();

 private:
  std::string path_;
  AtomicFile ids_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> index_;  // waits in a file of its own until the ids are all there
  int64_t num_pairs_ = 0;
  int64_t num_ids_ = 0;
  uint32_t checksum_ = 0;
};

/// The corpus file, mapped into memory: only what is looked at is read. File layout, little-endian: all ids (int32; a
/// pair's source, then its target), filled up to a multiple of 8 bytes; for each pair 24 bytes (first id and line,
/// int64; source and target length, int32); and at the end the number of pairs, the number of ids and the ids'
/// checksum (int64), and 8 bytes of magic and version.
class Corpus {
 public:
  /// Throws Error where the file is missing, damaged or of another version.
  explicit Corpus(const std::string& path);
  ~Corpus();
  Corpus(const Corpus&) = delete;
  Corpus& operator=(const Corpus&) = delete;

  int64_t size() const { return num_pairs_; }
  /// Of all ids: tells one corpus from another.
  int64_t checksum() const { return checksum_; }
  /// Throws DamagedFile where the index leads out of the file.
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
