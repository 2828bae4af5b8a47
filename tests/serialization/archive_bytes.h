#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/checksum.h"

namespace transformer {

// The bytes of model files and of their parts, so that tests can write files that the program would not write.

template <class Number>
std::string bytes_of_number(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

namespace pickled {

inline std::string text(const std::string& content) {
  return std::string("X") + bytes_of_number(static_cast<uint32_t>(content.size())) + content;
}
inline std::string integer(int64_t value) { return std::string("\x8A\x08") + bytes_of_number(value); }
inline std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
inline std::string integers(const std::vector<int64_t>& values) {
  std::string items;
  for (const int64_t value : values) items += integer(value);
  return std::string("(") + items + "t";
}

struct TensorParts {
  std::string type = "FloatStorage", record = "0";
  int64_t elements = 6, offset = 0;
  std::vector<int64_t> sizes = {2, 3}, strides = {3, 1};
};
inline std::string tensor(const TensorParts& parts) {
  const std::string storage = std::string("(") + text("storage") + global("torch", parts.type) + text(parts.record) +
                              text("cpu") + integer(parts.elements) + "tQ";
  return global("torch._utils", "_rebuild_tensor_v2") + "(" + storage + integer(parts.offset) + integers(parts.sizes) +
         integers(parts.strides) + "\x89" + global("collections", "OrderedDict") + ")RtR";
}

inline std::string dict(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string items;
  for (const auto& [key, value] : entries) items += text(key) + value;
  return global("torch.jit._pickle", "restore_type_tag") + "}(" + items + "u" + text("Dict[str, Any]") + "\x86R";
}

inline std::string pickle(const std::string& value) { return "\x80\x02" + value + "."; }

}  // namespace pickled

/// A record of a zip archive. The numbers of its entry in the directory are right unless they are given.
struct RecordBytes {
  std::string name, content;
  uint16_t compression = 0;
  int64_t size = -1, compressed_size = -1, header_position = -1;
  uint16_t flags = 0;
  int64_t checksum = -1;
};

/// A zip archive whose directory has all numbers in ZIP64 fields.
inline std::string zip_of(const std::vector<RecordBytes>& records) {
  std::string archive, directory;
  for (const RecordBytes& record : records) {
    const auto given_or = [](int64_t given, size_t right) { return given < 0 ? static_cast<int64_t>(right) : given; };
    const std::string name_size = bytes_of_number(static_cast<uint16_t>(record.name.size()));
    const std::string zip64_field = bytes_of_number(uint16_t{1}) + bytes_of_number(uint16_t{24}) +
                                    bytes_of_number(given_or(record.size, record.content.size())) +
                                    bytes_of_number(given_or(record.compressed_size, record.content.size())) +
                                    bytes_of_number(given_or(record.header_position, archive.size()));
    directory += "PK\x01\x02" + std::string(4, '\0') + bytes_of_number(record.flags) +
                 bytes_of_number(record.compression) + std::string(4, '\0') +
                 bytes_of_number(static_cast<uint32_t>(given_or(record.checksum, crc32_of(record.content)))) +
                 std::string(8, '\xFF') + name_size + bytes_of_number(static_cast<uint16_t>(zip64_field.size())) +
                 std::string(10, '\0') + std::string(4, '\xFF') + record.name + zip64_field;
    archive += "PK\x03\x04" + std::string(22, '\0') + name_size + std::string(2, '\0') + record.name + record.content;
  }
  const auto directory_position = static_cast<uint64_t>(archive.size());
  const auto end_position = static_cast<uint64_t>(archive.size() + directory.size());
  const auto num_records = static_cast<uint64_t>(records.size());
  return archive + directory + "PK\x06\x06" + bytes_of_number(uint64_t{44}) + std::string(12, '\0') +
         bytes_of_number(num_records) + bytes_of_number(num_records) +
         bytes_of_number(static_cast<uint64_t>(directory.size())) + bytes_of_number(directory_position) +  //
         "PK\x06\x07" + std::string(4, '\0') + bytes_of_number(end_position) + bytes_of_number(uint32_t{1}) +
         "PK\x05\x06" + std::string(18, '\0');
}

/// A model file: the archive and its checksum.
inline std::string with_checksum(const std::string& archive) {
  return archive + "TRFCRC32" + bytes_of_number(crc32_of(archive)) + std::string(4, '\0');
}

}  // namespace transformer
