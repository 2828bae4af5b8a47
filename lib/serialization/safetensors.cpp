#include "serialization/safetensors.h"

#include <ATen/ceil_div.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <tuple>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/read_file.h"

namespace transformer {
namespace {

// Layout: the header's size (8 bytes, little-endian), the header (a JSON object, padded with spaces), the tensors'
// bytes. The header has the type and shape of each tensor, and the range of its bytes, relative to the end of the
// header.

constexpr const char* kMetadata = "__metadata__";
constexpr size_t kSizeBytes = 8;
constexpr size_t kAlignment = 8;

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

/// The range of a tensor's bytes, relative to the end of the header.
struct Range {
  int64_t begin, end;
};

Range read_range(const Json& entry) {
  const Json::array_t& offsets = array_of(member_of(entry, "data_offsets"));
  if (offsets.size() != 2) throw Error("expected two data_offsets, got {}", offsets.size());
  return {integer_of(offsets[0]), integer_of(offsets[1])};
}

/// Checks that the tensors fill the file from the header to its end without gaps or overlaps.
void check_ranges(const Json& header, size_t num_bytes) {
  std::vector<Range> ranges;
  for (const auto& [name, entry] : object_of(header)) {
    if (name != kMetadata) ranges.push_back(read_range(entry));
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return std::tie(a.begin, a.end) < std::tie(b.begin, b.end); });
  int64_t end = 0;
  for (const Range& range : ranges) {
    if (range.begin != end || range.end < range.begin) {
      throw Error("expected a tensor's bytes to begin at {}, got {} to {}", end, range.begin, range.end);
    }
    end = range.end;
  }
  if (end != static_cast<int64_t>(num_bytes))
    throw Error("its tensors need {} bytes, but {} follow the header", end, num_bytes);
}

/// The tensor that the header's entry describes.
torch::Tensor read_tensor(const Json& entry, std::string_view data) {
  const torch::ScalarType type = type_of(string_of(member_of(entry, "dtype")));
  static constexpr double kMaxElements = 1e15;  // far below the range in which sizes overflow
  std::vector<int64_t> shape;
  double num_bytes = static_cast<double>(torch::elementSize(type)), bound = 1;
  for (const Json& size : array_of(member_of(entry, "shape"))) {
    shape.push_back(integer_of(size));
    num_bytes *= static_cast<double>(shape.back());
    bound *= std::max(1.0, static_cast<double>(shape.back()));
    if (shape.back() < 0 || bound > kMaxElements) throw Error("expected a sensible shape, got a size {}", shape.back());
  }
  const auto [begin, end] = read_range(entry);
  if (static_cast<double>(end - begin) != num_bytes) {
    throw Error("expected {:g} bytes, got the range from {} to {}", num_bytes, begin, end);
  }
  const std::string_view bytes = data.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  if (type == torch::kBool && bytes.find_first_not_of(std::string_view("\0\1", 2)) != std::string_view::npos) {
    throw Error("expected bytes of 0 and 1");
  }
  torch::Tensor tensor = torch::empty(shape, type);
  if (!bytes.empty()) std::memcpy(tensor.mutable_data_ptr(), bytes.data(), bytes.size());
  return tensor;
}

uint64_t read_header_size(std::string_view bytes) {
  if (bytes.size() < kSizeBytes) throw Error("it has only {} bytes", bytes.size());
  uint64_t header_size = 0;
  std::memcpy(&header_size, bytes.data(), kSizeBytes);
  return header_size;
}

/// The header of a file that has or begins with these bytes.
Json read_header(std::string_view bytes) {
  const uint64_t header_size = read_header_size(bytes);
  const std::string_view rest = bytes.substr(kSizeBytes);
  if (header_size > rest.size()) throw Error("its header ends beyond the file");
  return parse_json(rest.substr(0, header_size));
}

std::map<std::string, std::string> read_metadata(const Json& header) {
  std::map<std::string, std::string> metadata;
  for (const auto& [name, entry] : object_of(header)) {
    if (name != kMetadata) continue;
    for (const auto& [key, text] : object_of(entry)) metadata.emplace(key, string_of(text));
  }
  return metadata;
}

SafeTensors read_content(std::string_view bytes) {
  const Json header = read_header(bytes);
  const std::string_view data = bytes.substr(kSizeBytes + read_header_size(bytes));
  check_ranges(header, data.size());
  SafeTensors content;
  content.metadata = read_metadata(header);
  for (const auto& [name, entry] : object_of(header)) {
    if (name == kMetadata) continue;
    try {
      content.tensors.insert(name, read_tensor(entry, data));
    } catch (const Error& misfit) {
      throw Error("tensor '{}': {}", name, misfit.what());
    }
  }
  return content;
}

/// Calls `read`, whose errors are those of a damaged file.
template <class Read>
auto read_or_report_damage(const std::string& path, const Read& read) {
  try {
    return read();
  } catch (const Error& misfit) {
    throw DamagedFile("{}: not a valid safetensors file ({}); copy it again or use another one", path, misfit.what());
  }
}

}  // namespace

bool is_safetensors(std::string_view beginning, uint64_t file_size) {
  if (beginning.size() <= kSizeBytes || beginning[kSizeBytes] != '{') return false;
  uint64_t header_size = 0;
  std::memcpy(&header_size, beginning.data(), kSizeBytes);
  return header_size < file_size;
}

void save_safetensors(const std::string& path, const SafeTensors& content) {
  Json entries = {{kMetadata, content.metadata}};
  std::vector<torch::Tensor> tensors;
  size_t offset = 0;
  for (const auto& entry : content.tensors) {
    tensors.push_back(entry.value().cpu().contiguous());
    const torch::Tensor& tensor = tensors.back();
    entries[entry.key()] = {{"dtype", name_of(tensor.scalar_type())},
                            {"shape", tensor.sizes().vec()},
                            {"data_offsets", {offset, offset + tensor.nbytes()}}};
    offset += tensor.nbytes();
  }
  std::string header = json_text(entries);
  header.resize(at::round_up(header.size(), kAlignment), ' ');
  const uint64_t header_size = header.size();
  AtomicFile file(path);
  file.write({reinterpret_cast<const char*>(&header_size), kSizeBytes});
  file.write(header);
  for (const auto& tensor : tensors) file.write(bytes_of(tensor));
  file.commit();
}

SafeTensors load_safetensors(const std::string& path) {
  const MappedFile file(path);
  return read_safetensors(file.bytes(), path);
}

SafeTensors read_safetensors(std::string_view bytes, const std::string& path) {
  return read_or_report_damage(path, [&] { return read_content(bytes); });
}

std::map<std::string, std::string> load_safetensors_metadata(const std::string& path) {
  const std::string size = read_beginning(path, kSizeBytes);
  return read_or_report_damage(path, [&] {
    const uint64_t header_size = std::min<uint64_t>(read_header_size(size), std::filesystem::file_size(path));
    return read_metadata(read_header(read_beginning(path, kSizeBytes + header_size)));
  });
}

}  // namespace transformer
