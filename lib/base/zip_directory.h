#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace transformer {

/// Where the bytes of a record are in the archive.
struct ZipRecord {
  uint64_t offset = 0, size = 0;  // of the bytes as they are stored
  uint64_t content_size = 0;      // of the record's content: `size` unless it is compressed
  bool is_compressed = false;     // with deflate
  uint32_t checksum = 0;          // CRC-32 of the content
};

/// Copies `count` bytes of the archive, from `position` on, to `to`.
using ReadArchive = std::function<void(uint64_t position, void* to, size_t count)>;

/// The records, by name, of a zip archive of `archive_size` bytes, with or without ZIP64, stored or compressed with
/// deflate, and not encrypted. All records lie within the archive. Throws DamagedFile, whose message is the reason
/// without the name of the file, if the archive is of another kind.
std::map<std::string, ZipRecord> read_zip_directory(uint64_t archive_size, const ReadArchive& read);
/// The records of an archive that is in memory.
std::map<std::string, ZipRecord> read_zip_directory(std::string_view archive);

/// Throws DamagedFile, whose message is the reason without the name of the file, if this is not the record's content:
/// its checksum does not fit.
void check_content(const ZipRecord& record, std::string_view content);

}  // namespace transformer
