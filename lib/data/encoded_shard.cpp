#include "data/encoded_shard.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <type_traits>
#include <utility>

#include "base/checksum.h"

namespace transformer {
namespace {

constexpr std::string_view kShardMagic = "TRFSHRD1";

/// Reads the first bytes. Returns whether they are those of a shard.
bool begins_as_shard(std::FILE* file) {
  std::string magic(kShardMagic.size(), '\0');
  return std::fread(magic.data(), 1, magic.size(), file) == magic.size() && magic == kShardMagic;
}

template <class T>
void append(std::string& bytes, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// A list, its length first.
template <class List>
void append_list(std::string& bytes, const List& list) {
  append(bytes, static_cast<uint64_t>(list.size()));
  bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(list[0]));
}

/// Reads values from bytes. Throws DamagedFile if there are too few.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, const DamagedFile& damaged) : bytes_(bytes), damaged_(damaged) {}

  template <class T>
  T get() {
    T value{};
    copy(&value, sizeof(T));
    return value;
  }
  template <class List>
  List get_list() {
    const auto size = get<uint64_t>();
    using Item = std::remove_reference_t<decltype(std::declval<List&>()[0])>;
    if (size > bytes_.size() / sizeof(Item)) throw damaged_;
    List list(size, Item());
    copy(list.data(), size * sizeof(Item));
    return list;
  }

 private:
  void copy(void* to, size_t size) {
    if (size > bytes_.size()) throw damaged_;
    if (size > 0) std::memcpy(to, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }

  std::string_view bytes_;
  const DamagedFile& damaged_;
};

void append_pair(std::string& bytes, const EncodedPair& pair) {
  append(bytes, pair.line);
  append(bytes, static_cast<uint64_t>(pair.file));
  append(bytes, pair.line_of_file);
  append(bytes, pair.hash);
  const auto bit = [](bool is_set, int place) { return static_cast<uint8_t>(is_set ? 1 << place : 0); };
  append(bytes, static_cast<uint8_t>(bit(pair.is_copy, 0) | bit(pair.is_source_invalid, 1) |
                                     bit(pair.has_other_script, 2) | bit(pair.is_target_invalid, 3)));
  append_list(bytes, pair.source);
  append_list(bytes, pair.target);
  append_list(bytes, pair.unwritable);
}

EncodedPair get_pair(ByteReader& bytes) {
  EncodedPair pair;
  pair.line = bytes.get<int64_t>();
  pair.file = bytes.get<uint64_t>();
  pair.line_of_file = bytes.get<int64_t>();
  pair.hash = bytes.get<uint64_t>();
  const auto marks = bytes.get<uint8_t>();
  pair.is_copy = (marks & 1) != 0;
  pair.is_source_invalid = (marks & 2) != 0;
  pair.has_other_script = (marks & 4) != 0;
  pair.is_target_invalid = (marks & 8) != 0;
  pair.source = bytes.get_list<std::vector<TokenId>>();
  pair.target = bytes.get_list<std::vector<TokenId>>();
  pair.unwritable = bytes.get_list<std::u32string>();
  return pair;
}

bool are_below(const std::vector<TokenId>& pieces, int64_t size) {
  return std::all_of(pieces.begin(), pieces.end(), [&](TokenId piece) { return piece >= 0 && piece < size; });
}

}  // namespace

ShardWriter::ShardWriter(const std::string& path, const ShardHeader& header) : file_(path) {
  file_.write(kShardMagic);
  write_record(header.inputs.dump());
  const VocabularyModels& models = header.vocabularies;
  write_record(models.target());
  write_record(models.are_shared() ? "" : models.source());
}

void ShardWriter::add(const EncodedBlock& block) {
  std::string bytes;
  append(bytes, static_cast<uint64_t>(block.size()));
  for (const EncodedPair& pair : block) append_pair(bytes, pair);
  write_record(bytes);
}

void ShardWriter::finish(int64_t num_blocks_of_text) {
  std::string bytes;
  append(bytes, uint64_t{0});
  append(bytes, num_blocks_of_text);
  write_record(bytes);
  file_.commit();
}

void ShardWriter::write_record(std::string_view bytes) {
  std::string head;
  append(head, static_cast<uint64_t>(bytes.size()));
  append(head, crc32_of(bytes));
  file_.write(head);
  file_.write(bytes);
}

bool is_shard(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rb"), std::fclose);
  return file != nullptr && begins_as_shard(file.get());
}

ShardReader::ShardReader(const std::string& path)
    : path_(path), file_(open_to_read(path)), bytes_left_(std::filesystem::file_size(path)) {
  if (!begins_as_shard(file_.get())) throw damaged();
  bytes_left_ -= kShardMagic.size();
  header_.inputs = nlohmann::json::parse(read_record(), nullptr, /*allow_exceptions=*/false);
  std::string target = read_record(), source = read_record();
  header_.vocabularies = source.empty() ? VocabularyModels(std::move(target))
                                        : VocabularyModels::separate(std::move(source), std::move(target));
}

EncodedBlock ShardReader::next(const VocabularySizes& sizes, size_t num_files) {
  const std::string record = read_record();
  const DamagedFile error = damaged();
  ByteReader bytes(record, error);
  EncodedBlock block;
  for (auto left = bytes.get<uint64_t>(); left > 0; --left) {
    const EncodedPair& pair = block.emplace_back(get_pair(bytes));
    if (pair.file >= num_files || !are_below(pair.source, sizes.source()) || !are_below(pair.target, sizes.target())) {
      throw damaged();
    }
  }
  if (block.empty()) num_blocks_of_text_ = bytes.get<int64_t>();
  return block;
}

std::string ShardReader::read_record() {
  uint64_t size = 0;
  uint32_t checksum = 0;
  static constexpr uint64_t kHead = sizeof(size) + sizeof(checksum);
  if (bytes_left_ < kHead || std::fread(&size, sizeof(size), 1, file_.get()) != 1 ||
      std::fread(&checksum, sizeof(checksum), 1, file_.get()) != 1 || size > bytes_left_ - kHead) {
    throw damaged();
  }
  std::string bytes(size, '\0');
  if (std::fread(bytes.data(), 1, size, file_.get()) != size || crc32_of(bytes) != checksum) throw damaged();
  bytes_left_ -= kHead + size;
  return bytes;
}

DamagedFile ShardReader::damaged() const {
  return DamagedFile("{}: the shard is damaged or of another version; remove it and encode it again", path_);
}

}  // namespace transformer
