#include "serialization/safetensors.h"

#include <ATen/ceil_div.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/atomic_file.h"
#include "base/checksum.h"
#include "base/error.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/read_file.h"

namespace transformer {
namespace {

// Layout: the header's size (8 bytes, little-endian), the header (a JSON object, padded with spaces), the tensors'
// bytes. The header has the type and shape of each tensor, and the range of its bytes, relative to the end of the
// header.
//
// Checksums are metadata: "crc32c:NAME" is that of the tensor's bytes, and "crc32c" that of the header, in which it
// stands as zeros. The ranges of the tensors fill the rest of the file, so that nothing is left unchecked.

constexpr const char* kMetadata = "__metadata__";
constexpr size_t kSizeBytes = 8;
constexpr size_t kMaxHeaderBytes = 100'000'000;  // what the format allows
// Of the tensors' bytes. LibTorch allocates tensors so, and how products are rounded may depend on it.
constexpr size_t kAlignment = 64;

constexpr const char* kChecksum = "crc32c";
constexpr const char* kChecksumOfTensor = "crc32c:";
constexpr size_t kChecksumDigits = 8;

struct TypeName {
  torch::ScalarType type;
  const char* name;
};
constexpr std::array kTypeNames = {TypeName{torch::kFloat, "F32"},     TypeName{torch::kDouble, "F64"},
                                   TypeName{torch::kBFloat16, "BF16"}, TypeName{torch::kHalf, "F16"},
                                   TypeName{torch::kLong, "I64"},      TypeName{torch::kInt, "I32"},
                                   TypeName{torch::kShort, "I16"},     TypeName{torch::kChar, "I8"},
                                   TypeName{torch::kByte, "U8"},       TypeName{torch::kBool, "BOOL"}};

const char* name_of(torch::ScalarType type) {
  for (const auto& known : kTypeNames) {
    if (known.type == type) return known.name;
  }
  TORCH_CHECK(false, "safetensors has no type for ", type);
}

torch::ScalarType type_of(const std::string& name) {
  for (const auto& known : kTypeNames) {
    if (name == known.name) return known.type;
  }
  throw Error("expected a type such as F32, got '{}'", name);
}

std::string_view bytes_of(const torch::Tensor& tensor) {
  return {static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()};
}

std::string checksum_of(std::string_view bytes) { return fmt::format("{:08x}", crc32c_of(bytes)); }

/// The position of the checksum's digits in a header, in which it is the first entry of this name.
std::optional<size_t> find_checksum(std::string_view header) {
  const std::string before = fmt::format("\"{}\":\"", kChecksum);
  const size_t found = header.find(before);
  if (found == std::string_view::npos || header.size() - found - before.size() < kChecksumDigits) return std::nullopt;
  return found + before.size();
}

/// The header's checksum, computed with zeros in its place.
std::string checksum_of_header(std::string header, size_t position) {
  header.replace(position, kChecksumDigits, kChecksumDigits, '0');
  return checksum_of(header);
}

/// A tensor as the header describes it.
struct Entry {
  torch::ScalarType type;
  std::vector<int64_t> shape;
  int64_t begin, end;  // the range of its bytes, relative to the end of the header
};

Entry read_entry(const Json& json) {
  const Json::array_t& offsets = array_of(member_of(json, "data_offsets"));
  if (offsets.size() != 2) throw Error("expected two data_offsets, got {}", offsets.size());
  Entry entry{type_of(string_of(member_of(json, "dtype"))), {}, integer_of(offsets[0]), integer_of(offsets[1])};
  static constexpr double kMaxElements = 1e15;  // far below the range in which sizes overflow
  double num_bytes = static_cast<double>(torch::elementSize(entry.type)), bound = 1;
  for (const Json& size : array_of(member_of(json, "shape"))) {
    entry.shape.push_back(integer_of(size));
    const auto elements = static_cast<double>(entry.shape.back());
    num_bytes *= elements;
    bound *= std::max(1.0, elements);
    if (elements < 0 || bound > kMaxElements) throw Error("expected a sensible shape, got a size {}", elements);
  }
  if (static_cast<double>(entry.end - entry.begin) != num_bytes) {
    throw Error("expected {:g} bytes, got the range from {} to {}", num_bytes, entry.begin, entry.end);
  }
  return entry;
}

/// What a safetensors file has, with the tensors in the order of the header.
struct Content {
  std::string_view header, data;
  std::map<std::string, std::string> metadata;
  std::vector<std::pair<std::string, Entry>> tensors;
};

/// Checks that the tensors fill the file from the header to its end without gaps or overlaps.
void check_ranges(const Content& content) {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (const auto& [name, entry] : content.tensors) ranges.emplace_back(entry.begin, entry.end);
  std::sort(ranges.begin(), ranges.end());
  int64_t previous_end = 0;
  for (const auto& [begin, end] : ranges) {
    if (begin != previous_end) {
      throw Error("expected a tensor's bytes to begin at {}, got {} to {}", previous_end, begin, end);
    }
    previous_end = end;
  }
  if (previous_end != static_cast<int64_t>(content.data.size())) {
    throw Error("{}: its tensors need {} bytes, and {} follow the header",
                previous_end > static_cast<int64_t>(content.data.size()) ? "it is cut short" : "bytes follow its end",
                previous_end, content.data.size());
  }
}

uint64_t read_header_size(std::string_view bytes) {
  if (bytes.size() < kSizeBytes) throw Error("it has only {} bytes", bytes.size());
  uint64_t header_size = 0;
  std::memcpy(&header_size, bytes.data(), kSizeBytes);
  if (header_size > kMaxHeaderBytes) throw Error("its header has {} bytes", header_size);
  return header_size;
}

/// The header of a file that has or begins with these bytes.
std::string_view find_header(std::string_view bytes) {
  const uint64_t header_size = read_header_size(bytes);
  const std::string_view rest = bytes.substr(kSizeBytes);
  if (header_size > rest.size()) throw Error("its header ends beyond the file");
  return rest.substr(0, header_size);
}

std::map<std::string, std::string> read_metadata(const Json& header) {
  std::map<std::string, std::string> metadata;
  for (const auto& [name, entry] : object_of(header)) {
    if (name != kMetadata) continue;
    for (const auto& [key, text] : object_of(entry)) metadata.emplace(key, string_of(text));
  }
  return metadata;
}

Content read_content(std::string_view bytes) {
  Content content;
  content.header = find_header(bytes);
  content.data = bytes.substr(kSizeBytes + content.header.size());
  const Json header = parse_json(content.header);
  content.metadata = read_metadata(header);
  for (const auto& [name, entry] : object_of(header)) {
    if (name == kMetadata) continue;
    try {
      content.tensors.emplace_back(name, read_entry(entry));
    } catch (const Error& misfit) {
      throw Error("tensor '{}': {}", name, misfit.what());
    }
  }
  check_ranges(content);
  return content;
}

std::string_view bytes_of(const Entry& entry, const Content& content) {
  return content.data.substr(static_cast<size_t>(entry.begin), static_cast<size_t>(entry.end - entry.begin));
}

/// Throws DamagedFile if the checksum of a header does not fit.
void check_header(const Content& content, const std::string& path) {
  const auto expected = content.metadata.find(kChecksum);
  const auto position = find_checksum(content.header);
  if (expected != content.metadata.end() && position &&
      expected->second == checksum_of_header(std::string(content.header), *position)) {
    return;
  }
  throw DamagedFile(
      "{}: damaged (the checksum of its header does not fit); copy it again or use another one, and if another program "
      "has changed it, let that leave out the metadata whose names begin with {}",
      path, kChecksum);
}

/// Throws DamagedFile if the checksum of a tensor does not fit.
void check_tensor(const std::string& name, const Entry& entry, const Content& content, const std::string& path) {
  const std::string_view bytes = bytes_of(entry, content);
  const auto expected = content.metadata.find(kChecksumOfTensor + name);
  if (expected == content.metadata.end() || expected->second != checksum_of(bytes)) {
    throw DamagedFile("{}: damaged (the checksum of its tensor '{}' does not fit); copy it again or use another one",
                      path, name);
  }
}

/// Throws DamagedFile if the values are not those of the tensor's type.
torch::Tensor copy_tensor(const std::string& name, const Entry& entry, const Content& content,
                          const std::string& path) {
  const std::string_view bytes = bytes_of(entry, content);
  if (entry.type == torch::kBool && bytes.find_first_not_of(std::string_view("\0\1", 2)) != std::string_view::npos) {
    throw DamagedFile(
        "{}: not a valid safetensors file (tensor '{}': expected bytes of 0 and 1); copy it again or use another one",
        path, name);
  }
  torch::Tensor tensor = torch::empty(entry.shape, entry.type);
  if (!bytes.empty()) std::memcpy(tensor.mutable_data_ptr(), bytes.data(), bytes.size());
  return tensor;
}

/// A tensor whose elements are the bytes that `owner` keeps valid, or a copy if they are not aligned.
torch::Tensor view_tensor(const std::string& name, const Entry& entry, const Content& content, const std::string& path,
                          std::shared_ptr<const void> owner) {
  const std::string_view bytes = bytes_of(entry, content);
  const bool is_aligned = reinterpret_cast<uintptr_t>(bytes.data()) % c10::elementSize(entry.type) == 0;
  if (bytes.empty() || !is_aligned || entry.type == torch::kBool) return copy_tensor(name, entry, content, path);
  return torch::from_blob(
      const_cast<char*>(bytes.data()), entry.shape, [owner = std::move(owner)](void*) {}, entry.type);
}

using ReadTensor = std::function<torch::Tensor(const std::string& name, const Entry& entry, const Content& content)>;

/// Calls `read`, whose errors are those of a damaged file.
template <class Read>
auto read_or_report_damage(const std::string& path, const Read& read) {
  try {
    return read();
  } catch (const Error& misfit) {
    throw DamagedFile("{}: not a valid safetensors file ({}); copy it again or use another one", path, misfit.what());
  }
}

SafeTensors read_tensors(std::string_view bytes, const std::string& path, const ReadTensor& read_tensor) {
  const Content content = read_or_report_damage(path, [&] { return read_content(bytes); });
  const bool is_checked = has_checksums(content.metadata);
  if (is_checked) check_header(content, path);
  SafeTensors read{.metadata = content.metadata, .tensors = NamedTensors()};
  std::erase_if(read.metadata, [](const auto& entry) { return is_checksum(entry.first); });
  for (const auto& [name, entry] : content.tensors) {
    if (is_checked) check_tensor(name, entry, content, path);
    read.tensors.insert(name, read_tensor(name, entry, content));
  }
  return read;
}

using TensorList = std::vector<std::pair<std::string, torch::Tensor>>;

/// The tensors in the order of their bytes: those first that leave the next one aligned.
TensorList in_order(const NamedTensors& named) {
  TensorList tensors;
  for (const auto& entry : named) tensors.emplace_back(entry.key(), entry.value());
  const auto rank = [](const torch::Tensor& tensor) {
    return std::pair(tensor.nbytes() % kAlignment != 0, -static_cast<int64_t>(tensor.element_size()));
  };
  std::stable_sort(tensors.begin(), tensors.end(),
                   [&](const auto& one, const auto& other) { return rank(one.second) < rank(other.second); });
  return tensors;
}

TensorList tensors_to_write(const NamedTensors& named) {
  TensorList tensors = in_order(named);
  for (auto& [name, tensor] : tensors) tensor = tensor.detach().cpu().contiguous();
  return tensors;
}

/// The metadata with checksums, of which that of the header is of zeros.
Json with_checksums(const SafeTensors& content, const TensorList& tensors,
                    const std::function<std::string(const torch::Tensor& tensor)>& checksum) {
  Json metadata = {{kChecksum, std::string(kChecksumDigits, '0')}};  // before all texts, any of which may look like it
  for (const auto& [key, text] : content.metadata) metadata[key] = text;
  for (const auto& [name, tensor] : tensors) metadata[kChecksumOfTensor + name] = checksum(tensor);
  return metadata;
}

/// The header of a file with this metadata, in which the header's checksum stays as it is.
std::string header_of(const Json& metadata, const TensorList& tensors) {
  Json entries = {{kMetadata, metadata}};
  size_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    entries[name] = {{"dtype", name_of(tensor.scalar_type())},
                     {"shape", tensor.sizes().vec()},
                     {"data_offsets", {offset, offset + tensor.nbytes()}}};
    offset += tensor.nbytes();
  }
  std::string header = json_text(entries);
  header.resize(at::round_up(kSizeBytes + header.size(), kAlignment) - kSizeBytes, ' ');
  return header;
}

/// Writes a file with this metadata, in which the header's checksum may be of zeros.
void write(const std::string& path, const Json& metadata, const TensorList& tensors) {
  std::string header = header_of(metadata, tensors);
  if (metadata.contains(kChecksum)) {
    const size_t position = find_checksum(header).value();
    header.replace(position, kChecksumDigits, checksum_of_header(header, position));
  }
  const uint64_t header_size = header.size();
  AtomicFile file(path);
  file.write({reinterpret_cast<const char*>(&header_size), kSizeBytes});
  file.write(header);
  for (const auto& [name, tensor] : tensors) file.write(bytes_of(tensor));
  file.commit();
}

}  // namespace

bool is_safetensors(std::string_view beginning, uint64_t file_size) {
  if (beginning.size() <= kSizeBytes || beginning[kSizeBytes] != '{') return false;
  uint64_t header_size = 0;
  std::memcpy(&header_size, beginning.data(), kSizeBytes);
  return header_size < file_size;
}

bool is_checksum(const std::string& key) { return key == kChecksum || key.starts_with(kChecksumOfTensor); }

bool has_checksums(const std::map<std::string, std::string>& metadata) {
  return std::any_of(metadata.begin(), metadata.end(), [](const auto& entry) { return is_checksum(entry.first); });
}

bool begins_as_checked(std::string_view beginning) {
  return beginning.size() > kSizeBytes &&
         beginning.substr(kSizeBytes).starts_with(fmt::format("{{\"{}\":{{\"{}\":\"", kMetadata, kChecksum));
}

void save_safetensors(const std::string& path, const SafeTensors& content) {
  write(path, content.metadata, tensors_to_write(content.tensors));
}

void save_checked_safetensors(const std::string& path, const SafeTensors& content) {
  const auto tensors = tensors_to_write(content.tensors);
  write(path, with_checksums(content, tensors, [](const auto& tensor) { return checksum_of(bytes_of(tensor)); }),
        tensors);
}

size_t size_of_checked_safetensors(const SafeTensors& content) {
  const TensorList tensors = in_order(content.tensors);
  const Json metadata =
      with_checksums(content, tensors, [](const auto& /*tensor*/) { return std::string(kChecksumDigits, '0'); });
  size_t bytes = kSizeBytes + header_of(metadata, tensors).size();
  for (const auto& [name, tensor] : tensors) bytes += tensor.nbytes();
  return bytes;
}

SafeTensors load_safetensors(const std::string& path) {
  const MappedFile file(path);
  return read_tensors(file.bytes(), path, [&](const auto& name, const Entry& entry, const Content& content) {
    return copy_tensor(name, entry, content, path);
  });
}

SafeTensors view_safetensors(std::string_view bytes, const std::string& path) {
  return read_tensors(bytes, path, [&](const auto& name, const Entry& entry, const Content& content) {
    return view_tensor(name, entry, content, path, nullptr);
  });
}

std::map<std::string, std::string> load_safetensors_metadata(const std::string& path) {
  const std::string size = read_beginning(path, kSizeBytes);
  return read_or_report_damage(path, [&] {
    const uint64_t header_size = std::min<uint64_t>(read_header_size(size), std::filesystem::file_size(path));
    return read_metadata(parse_json(find_header(read_beginning(path, kSizeBytes + header_size))));
  });
}

struct MappedSafetensors::File {
  explicit File(const std::string& path_of_file)
      : path(path_of_file),
        mapped(path),
        content(read_or_report_damage(path, [&] { return read_content(mapped.bytes()); })) {
    check_header(content, path);
    for (const auto& [name, entry] : content.tensors) names.push_back(name);
  }

  std::string path;
  MappedFile mapped;
  Content content;
  std::vector<std::string> names;
};

MappedSafetensors::MappedSafetensors(const std::string& path) : file_(std::make_shared<const File>(path)) {}

const std::map<std::string, std::string>& MappedSafetensors::metadata() const { return file_->content.metadata; }

const std::vector<std::string>& MappedSafetensors::names() const { return file_->names; }

torch::Tensor MappedSafetensors::tensor(size_t index) const {
  const Content& content = file_->content;
  const auto& [name, entry] = content.tensors.at(index);
  check_tensor(name, entry, content, file_->path);
  return view_tensor(name, entry, content, file_->path, file_);  // the file stays mapped while a tensor has its bytes
}

}  // namespace transformer
