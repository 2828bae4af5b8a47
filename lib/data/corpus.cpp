#include "data/corpus.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "base/checksum.h"
#include "base/error.h"
#include "base/temporary_file.h"

namespace transformer {

struct CorpusEntry {
  int64_t first_id, line;
  int32_t source_length, target_length;
};

namespace {

struct Footer {
  int64_t num_pairs, num_ids, checksum;
  char magic[8];
};
constexpr char kMagic[8] = {'T', 'R', 'F', 'C', 'O', 'R', 'P', '2'};

std::string_view bytes_of(const void* data, size_t size) { return {static_cast<const char*>(data), size}; }

size_t index_start(int64_t num_ids) { return static_cast<size_t>(num_ids + num_ids % 2) * sizeof(int32_t); }

/// An unnamed file in the directory of `path`, so that it uses the disk that must hold the corpus anyway.
std::FILE* open_scratch_file(const std::string& path) {
  std::string name;
  std::FILE* file = open_temporary_file(path, name);
  unlink(name.c_str());
  return file;
}

}  // namespace

CorpusWriter::CorpusWriter(const std::string& path)
    : path_(path), ids_(path), index_(open_scratch_file(path), std::fclose) {}

void CorpusWriter::add(const SentencePair& pair) {
  const CorpusEntry entry = {num_ids_, pair.line, static_cast<int32_t>(pair.source.size()),
                             static_cast<int32_t>(pair.target.size())};
  ids_.write(bytes_of(pair.source.data(), pair.source.size_bytes()));
  ids_.write(bytes_of(pair.target.data(), pair.target.size_bytes()));
  if (std::fwrite(&entry, sizeof(entry), 1, index_.get()) != 1) throw disk_full();
  checksum_ = crc32_of(bytes_of(pair.source.data(), pair.source.size_bytes()), checksum_);
  checksum_ = crc32_of(bytes_of(pair.target.data(), pair.target.size_bytes()), checksum_);
  num_ids_ += static_cast<int64_t>(pair.source.size() + pair.target.size());
  ++num_pairs_;
}

Error CorpusWriter::disk_full() const {
  return Error("{}: cannot be written: the disk is full; free some space and run the same command again", path_);
}

void CorpusWriter::finish() {
  const int32_t padding = 0;
  if (num_ids_ % 2 != 0) ids_.write(bytes_of(&padding, sizeof(padding)));
  if (std::fseek(index_.get(), 0, SEEK_SET) != 0) throw disk_full();  // writes what is still buffered
  std::string block(1 << 20, '\0');
  while (const size_t got = std::fread(block.data(), 1, block.size(), index_.get())) {
    ids_.write({block.data(), got});
  }
  Footer footer{num_pairs_, num_ids_, checksum_, {}};
  std::memcpy(footer.magic, kMagic, sizeof(kMagic));
  ids_.write(bytes_of(&footer, sizeof(footer)));
  ids_.commit();
}

Corpus::Corpus(const std::string& path) : path_(path) {
  const auto damaged = [&](const char* why) { return Error("{}: {}; run `transformer preprocess` again", path, why); };
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw damaged("the prepared corpus cannot be read");
  mapped_bytes_ = std::filesystem::file_size(path);
  if (mapped_bytes_ >= sizeof(Footer)) {
    mapping_ = mmap(nullptr, mapped_bytes_, PROT_READ, MAP_SHARED, descriptor, 0);
  }
  close(descriptor);
  if (mapping_ == nullptr || mapping_ == MAP_FAILED) throw damaged("the prepared corpus is cut short");

  const char* bytes = static_cast<const char*>(mapping_);
  Footer footer;
  std::memcpy(&footer, bytes + mapped_bytes_ - sizeof(Footer), sizeof(Footer));
  const auto is_count = [&](int64_t count) { return count >= 0 && count <= static_cast<int64_t>(mapped_bytes_); };
  const bool sound =
      std::memcmp(footer.magic, kMagic, sizeof(kMagic)) == 0 && is_count(footer.num_ids) &&
      is_count(footer.num_pairs) &&
      index_start(footer.num_ids) + static_cast<size_t>(footer.num_pairs) * sizeof(CorpusEntry) + sizeof(Footer) ==
          mapped_bytes_;
  if (!sound) {
    munmap(mapping_, mapped_bytes_);
    throw damaged("the prepared corpus is damaged or of another version");
  }
  num_pairs_ = footer.num_pairs;
  num_ids_ = footer.num_ids;
  checksum_ = footer.checksum;
  ids_ = reinterpret_cast<const int32_t*>(bytes);
  index_ = reinterpret_cast<const CorpusEntry*>(bytes + index_start(footer.num_ids));
}

Corpus::~Corpus() { munmap(mapping_, mapped_bytes_); }

SentencePair Corpus::operator[](int64_t pair) const {
  const CorpusEntry& entry = index_[pair];
  if (entry.first_id < 0 || entry.source_length < 0 || entry.target_length < 0 ||
      entry.first_id > num_ids_ - entry.source_length - entry.target_length) {
    throw DamagedFile("{}: the prepared corpus is damaged; delete it and run `transformer preprocess` again", path_);
  }
  const int32_t* source = ids_ + entry.first_id;
  const int32_t* target = source + entry.source_length;
  return {{source, static_cast<size_t>(entry.source_length)},
          {target, static_cast<size_t>(entry.target_length)},
          entry.line};
}

}  // namespace transformer
