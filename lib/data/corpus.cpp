#include "data/corpus.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/checksum.h"
#include "base/error.h"
#include "base/system_error.h"
#include "base/temporary_file.h"

namespace transformer {

struct CorpusEntry {
  int64_t first_id, line;
  int32_t source_length, target_length;
};

namespace {

struct Footer {
  int64_t num_pairs, num_ids, ids_checksum;
  int32_t target_vocabulary_size, source_vocabulary_size;  // the latter 0 if both sides share the target's vocabulary
  int64_t checksum;
  char magic[8];
};
constexpr char kMagic[8] = {'T', 'R', 'F', 'C', 'O', 'R', 'P', '3'};
constexpr size_t kBlockBytes = 1 << 20;

std::string_view bytes_of(const void* data, size_t size) { return {static_cast<const char*>(data), size}; }

size_t padded_to_8(size_t bytes) { return (bytes + 7) / 8 * 8; }

/// Where the parts of a corpus file begin.
struct Layout {
  Layout(int64_t num_pairs, int64_t num_ids)
      : index(padded_to_8(static_cast<size_t>(num_ids) * sizeof(TokenId))),
        checksums(index + static_cast<size_t>(num_pairs) * sizeof(CorpusEntry)),
        num_blocks((checksums + kBlockBytes - 1) / kBlockBytes),
        footer(checksums + padded_to_8(num_blocks * sizeof(uint32_t))) {}

  size_t index, checksums, num_blocks, footer;
};

/// The CRC-32 of the block checksums, padding included, followed by the footer's fields before `checksum`.
uint32_t footer_checksum(std::string_view block_checksums, const Footer& footer) {
  return crc32_of(bytes_of(&footer, offsetof(Footer, checksum)), crc32_of(block_checksums));
}

DamagedFile damaged_corpus(const std::string& path, const char* why) {
  return DamagedFile("{}: {}; run `transformer preprocess` again", path, why);
}

/// Throws DamagedFile if the file of these bytes is cut short, damaged or of another version.
Footer read_footer(std::string_view file, const std::string& path) {
  if (file.size() < sizeof(Footer)) throw damaged_corpus(path, "the prepared corpus is cut short");
  Footer footer;
  std::memcpy(&footer, file.data() + file.size() - sizeof(Footer), sizeof(Footer));
  const auto is_count = [&](int64_t count) { return count >= 0 && count <= static_cast<int64_t>(file.size()); };
  bool is_intact = std::memcmp(footer.magic, kMagic, sizeof(kMagic)) == 0 && footer.num_pairs > 0 &&
                   is_count(footer.num_pairs) && is_count(footer.num_ids);
  if (is_intact) {
    const Layout layout(footer.num_pairs, footer.num_ids);
    is_intact =
        layout.footer + sizeof(Footer) == file.size() &&
        footer_checksum(file.substr(layout.checksums, layout.footer - layout.checksums), footer) == footer.checksum;
  }
  if (!is_intact) throw damaged_corpus(path, "the prepared corpus is damaged or of another version");
  return footer;
}

/// Whether all ids are those of pieces of text.
bool are_pieces(std::span<const TokenId> ids, const SpecialTokens& special, int64_t vocabulary_size) {
  return std::all_of(ids.begin(), ids.end(),
                     [&](TokenId id) { return id >= 0 && id < vocabulary_size && !special.is_control(id); });
}

/// An unnamed file in the directory of `path`, so that it uses the disk that must hold the corpus anyway.
File open_scratch_file(const std::string& path) {
  std::string name;
  File file(open_temporary_file(path, name), std::fclose);
  unlink(name.c_str());
  return file;
}

}  // namespace

CorpusWriter::CorpusWriter(const std::string& path, VocabularySizes vocabularies)
    : path_(path), vocabularies_(vocabularies), file_(path), index_(open_scratch_file(path)) {}

void CorpusWriter::add(const SentencePair& pair) {
  const CorpusEntry entry = {num_ids_, pair.line, static_cast<int32_t>(pair.source.size()),
                             static_cast<int32_t>(pair.target.size())};
  if (std::fwrite(&entry, sizeof(entry), 1, index_.get()) != 1) throw write_error(path_);
  for (const auto side : {pair.source, pair.target}) {
    const auto bytes = bytes_of(side.data(), side.size_bytes());
    write(bytes);
    checksum_ = crc32_of(bytes, checksum_);
    num_ids_ += std::ssize(side);
  }
  ++num_pairs_;
}

void CorpusWriter::write(std::string_view bytes) {
  file_.write(bytes);
  while (!bytes.empty()) {
    if (block_bytes_ == 0) block_checksums_.push_back(0);
    const auto part = bytes.substr(0, kBlockBytes - block_bytes_);
    block_checksums_.back() = crc32_of(part, block_checksums_.back());
    block_bytes_ = (block_bytes_ + part.size()) % kBlockBytes;
    bytes.remove_prefix(part.size());
  }
}

void CorpusWriter::finish() {
  const TokenId padding = 0;
  if (num_ids_ % 2 != 0) write(bytes_of(&padding, sizeof(padding)));
  if (std::fseek(index_.get(), 0, SEEK_SET) != 0) throw write_error(path_);  // writes what is still buffered
  std::string block(kBlockBytes, '\0');
  while (const size_t got = std::fread(block.data(), 1, block.size(), index_.get())) write({block.data(), got});
  if (std::ferror(index_.get()) != 0) throw write_error(path_);
  if (block_checksums_.size() % 2 != 0) block_checksums_.push_back(0);
  const auto checksums = bytes_of(block_checksums_.data(), block_checksums_.size() * sizeof(uint32_t));
  Footer footer{.num_pairs = num_pairs_,
                .num_ids = num_ids_,
                .ids_checksum = checksum_,
                .target_vocabulary_size = static_cast<int32_t>(vocabularies_.target()),
                .source_vocabulary_size = vocabularies_.are_shared() ? 0 : static_cast<int32_t>(vocabularies_.source()),
                .checksum = 0,
                .magic = {}};
  footer.checksum = footer_checksum(checksums, footer);
  std::memcpy(footer.magic, kMagic, sizeof(kMagic));
  file_.write(checksums);
  file_.write(bytes_of(&footer, sizeof(footer)));
  file_.commit();
}

Corpus::Corpus(const std::string& path, std::vector<CorpusPart> parts, SourceAndTarget<SpecialTokens> special_tokens)
    : path_(path), file_(path), parts_(std::move(parts)), special_tokens_(std::move(special_tokens)) {
  const Footer footer = read_footer(file_.bytes(), path);
  num_pairs_ = footer.num_pairs;
  num_ids_ = footer.num_ids;
  checksum_ = footer.ids_checksum;
  target_vocabulary_size_ = footer.target_vocabulary_size;
  source_vocabulary_size_ =
      footer.source_vocabulary_size == 0 ? footer.target_vocabulary_size : footer.source_vocabulary_size;
  if (parts_.empty()) parts_.push_back({0, num_pairs_});
  if (parts_.back().first + parts_.back().size != num_pairs_) {
    throw damaged_corpus(path, "the prepared corpus has another number of pairs than its manifest says");
  }
  const Layout layout(num_pairs_, num_ids_);
  const char* bytes = file_.bytes().data();
  ids_ = reinterpret_cast<const TokenId*>(bytes);
  index_ = reinterpret_cast<const CorpusEntry*>(bytes + layout.index);
  block_checksums_ = reinterpret_cast<const uint32_t*>(bytes + layout.checksums);
  checked_ = std::vector<std::atomic<bool>>(layout.num_blocks);
}

size_t Corpus::offset_of(const void* place) const {
  return static_cast<size_t>(static_cast<const char*>(place) - file_.bytes().data());
}

const CorpusEntry& Corpus::entry_of(int64_t pair) const {
  if (!is_intact(offset_of(index_ + pair), offset_of(index_ + pair + 1))) throw damaged_pair(pair);
  return index_[pair];
}

PieceCounts Corpus::piece_counts(int64_t pair) const {
  const CorpusEntry& entry = entry_of(pair);
  return {entry.source_length, entry.target_length};
}

SentencePair Corpus::operator[](int64_t pair) const {
  const CorpusEntry& entry = entry_of(pair);
  if (entry.first_id < 0 || entry.source_length < 0 || entry.target_length < 0 ||
      entry.first_id > num_ids_ - entry.source_length - entry.target_length) {
    throw damaged_pair(pair);
  }
  const std::span source(ids_ + entry.first_id, static_cast<size_t>(entry.source_length));
  const std::span target(source.data() + source.size(), static_cast<size_t>(entry.target_length));
  if (!is_intact(offset_of(source.data()), offset_of(target.data() + target.size())) ||
      !are_pieces(source, special_tokens_.source(), source_vocabulary_size_) ||
      !are_pieces(target, special_tokens_.target(), target_vocabulary_size_)) {
    throw damaged_pair(pair);
  }
  return {source, target, entry.line};
}

DamagedFile Corpus::damaged_pair(int64_t pair) const {
  return DamagedFile("{}: pair {} is damaged; run `transformer preprocess` again to rebuild the file", path_, pair + 1);
}

bool Corpus::is_intact(size_t begin, size_t end) const {
  const char* bytes = file_.bytes().data();
  const size_t covered = static_cast<size_t>(reinterpret_cast<const char*>(block_checksums_) - bytes);
  for (size_t block = begin / kBlockBytes; block * kBlockBytes < end; ++block) {
    if (checked_[block].load(std::memory_order_relaxed)) continue;
    const size_t first = block * kBlockBytes;
    if (crc32_of({bytes + first, std::min(kBlockBytes, covered - first)}) != block_checksums_[block]) return false;
    checked_[block].store(true, std::memory_order_relaxed);
  }
  return true;
}

}  // namespace transformer
