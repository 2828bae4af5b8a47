#include "serialization/npz.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "base/atomic_file.h"
#include "base/checksum.h"
#include "base/error.h"
#include "base/inflate.h"
#include "base/parse_number.h"
#include "base/zip_directory.h"

namespace transformer {
namespace {

// A `.npy` file: "\x93NUMPY", the version (2 bytes), the header's size (2 bytes, or 4 from version 2 on), the header,
// the array's bytes. The header is a dict of Python such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4),
// }.

constexpr std::string_view kNpySuffix = ".npy", kNpyMagic = "\x93NUMPY";

struct NpyType {
  torch::ScalarType type;
  std::string_view name;  // without its first character, which is the byte order
};
constexpr std::array kNpyTypes = {NpyType{torch::kFloat, "f4"}, NpyType{torch::kDouble, "f8"},
                                  NpyType{torch::kHalf, "f2"},  NpyType{torch::kLong, "i8"},
                                  NpyType{torch::kInt, "i4"},   NpyType{torch::kShort, "i2"},
                                  NpyType{torch::kChar, "i1"},  NpyType{torch::kByte, "u1"}};

torch::ScalarType type_of(std::string_view descr) {
  static constexpr std::string_view kLittleEndian = "<|=";
  for (const NpyType& known : kNpyTypes) {
    if (descr.size() != 3 || descr.substr(1) != known.name) continue;
    if (kLittleEndian.find(descr[0]) != std::string_view::npos) return known.type;
    throw DamagedFile("its numbers are big-endian ('{}'); save it with little-endian ones", descr);
  }
  throw DamagedFile("its type '{}' is not one of numbers of a model, such as '<f4'", descr);
}

std::string_view take(std::string_view& bytes, size_t count) {
  if (count > bytes.size()) throw DamagedFile("it is cut short");
  const std::string_view taken = bytes.substr(0, count);
  bytes.remove_prefix(count);
  return taken;
}

/// The text between the first `begin` behind the key and the next `end`.
std::string_view value_of(std::string_view header, std::string_view key, char begin, char end) {
  const size_t position = header.find(key);
  const size_t first = position == std::string_view::npos ? position : header.find(begin, position + key.size());
  const size_t last = first == std::string_view::npos ? first : header.find(end, first + 1);
  if (last == std::string_view::npos) throw DamagedFile("its header has no {}", key);
  return header.substr(first + 1, last - first - 1);
}

std::vector<int64_t> parse_shape(std::string_view text) {
  static constexpr size_t kMaxDimensions = 8;
  static constexpr double kMaxElements = 1e15;  // far below the range in which sizes and strides overflow
  double bound = 1;
  std::vector<int64_t> shape;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    std::string_view item = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
    if (item.empty()) continue;
    const auto size = parse_number<int64_t>(item);
    if (size) bound *= static_cast<double>(std::max<int64_t>(*size, 1));
    if (!size || *size < 0 || bound > kMaxElements || shape.size() == kMaxDimensions) {
      throw DamagedFile("its shape is impossible");
    }
    shape.push_back(*size);
  }
  return shape;
}

std::vector<int64_t> reversed_dimensions(int64_t count) {
  std::vector<int64_t> dimensions;
  for (int64_t i = count; i-- > 0;) dimensions.push_back(i);
  return dimensions;
}

torch::Tensor read_npy(std::string_view bytes, const Release& release) {
  if (take(bytes, kNpyMagic.size()) != kNpyMagic) throw DamagedFile("it is not in NumPy's format");
  const auto version = static_cast<unsigned char>(take(bytes, 2)[0]);
  uint32_t header_size = 0;
  const std::string_view size_bytes = take(bytes, version >= 2 ? 4 : 2);
  std::memcpy(&header_size, size_bytes.data(), size_bytes.size());
  const std::string_view header = take(bytes, header_size);
  const torch::ScalarType type = type_of(value_of(header, "'descr':", '\'', '\''));
  const std::string_view order = value_of(header, "'fortran_order'", ':', ',');
  const bool is_fortran = order.find("True") != std::string_view::npos;
  std::vector<int64_t> shape = parse_shape(value_of(header, "'shape':", '(', ')'));
  double num_bytes = static_cast<double>(torch::elementSize(type));
  for (const int64_t size : shape) num_bytes *= static_cast<double>(size);
  if (num_bytes != static_cast<double>(bytes.size())) {
    throw DamagedFile("its shape needs {:g} bytes, and it has {}", num_bytes, bytes.size());
  }
  if (is_fortran) std::reverse(shape.begin(), shape.end());
  torch::Tensor tensor = torch::empty(shape, type);
  static constexpr size_t kPieceSize = 16 << 20;
  for (size_t begin = 0; begin < bytes.size(); begin += kPieceSize) {
    const std::string_view piece = bytes.substr(begin, kPieceSize);
    std::memcpy(static_cast<char*>(tensor.mutable_data_ptr()) + begin, piece.data(), piece.size());
    release(piece);
  }
  return is_fortran ? tensor.permute(reversed_dimensions(tensor.dim())).contiguous() : tensor;
}

/// The bytes of a `.npy` file before the array's. Marian reads headers that end in a line break.
std::string npy_header(const torch::Tensor& tensor) {
  static constexpr size_t kAlignment = 16;
  const auto type = std::find_if(kNpyTypes.begin(), kNpyTypes.end(),
                                 [&](const NpyType& known) { return known.type == tensor.scalar_type(); });
  TORCH_CHECK(type != kNpyTypes.end(), "no type of NumPy for ", tensor.scalar_type());
  std::string shape;
  for (const int64_t size : tensor.sizes()) shape += fmt::format("{}{}", shape.empty() ? "" : ", ", size);
  if (tensor.dim() == 1) shape += ',';
  std::string header = fmt::format("{{'descr': '<{}', 'fortran_order': False, 'shape': ({}), }}", type->name, shape);
  std::string beginning(kNpyMagic);
  beginning += std::string("\x01\0", 2);  // the version
  const size_t unpadded = beginning.size() + sizeof(uint16_t) + header.size() + 1;
  header += std::string((kAlignment - unpadded % kAlignment) % kAlignment, ' ') + '\n';
  const auto size = static_cast<uint16_t>(header.size());
  beginning.append(reinterpret_cast<const char*>(&size), sizeof(size));
  return beginning + header;
}

/// Appends numbers, little-endian and without gaps.
template <class... Numbers>
void append(std::string& bytes, Numbers... numbers) {
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof(numbers)), ...);
}

/// What the local header of a zip archive's record and its entry in the directory have in common, from the version on.
std::string zip_entry(const std::string& name, uint32_t checksum, uint32_t size) {
  static constexpr uint16_t kVersion = 20, kFlags = 0, kStored = 0, kTime = 0, kDate = 33, kExtra = 0;  // 1980-01-01
  std::string entry;
  append(entry, kVersion, kFlags, kStored, kTime, kDate, checksum, size, size, static_cast<uint16_t>(name.size()),
         kExtra);
  return entry;
}

}  // namespace

bool is_npz(std::string_view bytes) {
  try {
    const auto records = read_zip_directory(bytes);
    return !records.empty() && std::all_of(records.begin(), records.end(),
                                           [](const auto& record) { return record.first.ends_with(kNpySuffix); });
  } catch (const DamagedFile&) {
    return false;
  }
}

NamedTensors read_npz(std::string_view bytes, const Release& release) {
  const Release keep_all = [](std::string_view) {};
  NamedTensors tensors;
  uint64_t bytes_left = bytes.size();  // several records may claim the same bytes
  for (const auto& [name, record] : read_zip_directory(bytes)) {
    if (record.size > bytes_left) throw DamagedFile("its records together have more bytes than the file");
    bytes_left -= record.size;
    if (!name.ends_with(kNpySuffix)) throw DamagedFile("its record '{}' is no array", name);
    const std::string key = name.substr(0, name.size() - kNpySuffix.size());
    const std::string_view stored = bytes.substr(record.offset, record.size);
    try {
      const std::string inflated = record.is_compressed ? inflate_bytes(stored, record.content_size) : "";
      const std::string_view array = record.is_compressed ? inflated : stored;
      check_content(record, array);
      tensors.insert(key, read_npy(array, record.is_compressed ? keep_all : release));
    } catch (const DamagedFile& misfit) {
      throw DamagedFile("array '{}': {}", key, misfit.what());
    }
    release(stored);
  }
  return tensors;
}

void save_npz(const std::string& path, const NamedTensors& arrays) {
  AtomicFile file(path);
  std::string directory;
  uint64_t position = 0;
  uint16_t count = 0;
  const auto check_position = [&] {
    if (position <= std::numeric_limits<uint32_t>::max()) return;
    throw Error("{}: not written, since the arrays need more than the 4 GiB that an .npz file without ZIP64 allows",
                path);
  };
  for (const auto& entry : arrays) {
    const std::string name = entry.key() + std::string(kNpySuffix);
    const torch::Tensor tensor = entry.value().contiguous();
    const std::string header = npy_header(tensor);
    const std::string_view elements(static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes());
    const uint64_t size = header.size() + elements.size(), begin = position;
    position += size;
    check_position();
    const std::string facts = zip_entry(name, crc32_of(elements, crc32_of(header)), static_cast<uint32_t>(size));
    const std::string local = "PK\x03\x04" + facts + name;
    file.write(local);
    file.write(header);
    file.write(elements);
    position += local.size();
    check_position();
    directory += std::string("PK\x01\x02\x14\0", 6) + facts;
    append(directory, uint16_t{0}, uint16_t{0}, uint16_t{0}, uint32_t{0}, static_cast<uint32_t>(begin));
    directory += name;
    ++count;
  }
  std::string end = "PK\x05\x06";
  append(end, uint16_t{0}, uint16_t{0}, count, count, static_cast<uint32_t>(directory.size()),
         static_cast<uint32_t>(position), uint16_t{0});
  file.write(directory);
  file.write(end);
  file.commit();
}

}  // namespace transformer
