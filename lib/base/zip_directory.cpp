#include "base/zip_directory.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/checksum.h"
#include "base/error.h"

namespace transformer {
namespace {

// The parts of a zip archive, from its beginning: for each record a local header, the name, an extra field and the
// bytes; the directory, with an entry for each record; the ZIP64 end of the directory and its locator, which most
// programs other than LibTorch write only if numbers need more than 32 bits; the end of the directory. All numbers are
// little-endian.
constexpr uint32_t kLocalHeader = 0x04034B50, kEntry = 0x02014B50, kZip64End = 0x06064B50, kLocator = 0x07064B50,
                   kEnd = 0x06054B50;
constexpr size_t kLocalHeaderBytes = 30, kEntryBytes = 46, kZip64EndBytes = 56, kLocatorBytes = 20, kEndBytes = 22;

constexpr uint16_t kStored = 0, kDeflate = 8, kIsEncrypted = 1;
constexpr uint16_t kZip64Field = 1;
constexpr uint32_t kInZip64Field = std::numeric_limits<uint32_t>::max();

/// A directory of a model has about a hundred bytes for each parameter.
constexpr uint64_t kMaxDirectoryBytes = uint64_t{64} << 20;

/// Removes the first `count` bytes of `bytes` and returns them.
std::string_view take(std::string_view& bytes, size_t count) {
  if (count > bytes.size()) throw DamagedFile("its zip directory is cut short");
  const std::string_view taken = bytes.substr(0, count);
  bytes.remove_prefix(count);
  return taken;
}

/// The number at this position of a part that is long enough.
template <class Number>
Number number_at(std::string_view part, size_t position) {
  Number number;
  std::memcpy(&number, part.data() + position, sizeof(number));
  return number;
}

class ZipReader {
 public:
  ZipReader(uint64_t archive_size, const ReadArchive& read) : archive_size_(archive_size), read_(read) {}

  std::map<std::string, ZipRecord> records() const {
    std::map<std::string, ZipRecord> records;
    const std::string directory = read_directory();
    for (std::string_view rest = directory; !rest.empty();) {
      const std::string_view entry = take(rest, kEntryBytes);
      check(number_at<uint32_t>(entry, 0) == kEntry);
      const std::string name(take(rest, number_at<uint16_t>(entry, 28)));
      const std::string_view extra = take(rest, number_at<uint16_t>(entry, 30));
      take(rest, number_at<uint16_t>(entry, 32));  // the comment
      const auto method = number_at<uint16_t>(entry, 10);
      if (method != kStored && method != kDeflate) {
        throw DamagedFile("its record '{}' is compressed with method {}, not with deflate", name, method);
      }
      if ((number_at<uint16_t>(entry, 8) & kIsEncrypted) != 0) throw DamagedFile("its record '{}' is encrypted", name);
      check(records.emplace(name, find_record(entry, extra, method == kDeflate)).second);
    }
    return records;
  }

 private:
  static void check(bool is_sound) {
    if (!is_sound) throw DamagedFile("it is not a zip archive in a known format");
  }

  /// Bytes of the archive, which are checked to be there before memory for them is allocated.
  std::string bytes(uint64_t position, uint64_t count) const {
    if (position > archive_size_ || count > archive_size_ - position) {
      throw DamagedFile("its zip directory points outside of the file");
    }
    std::string bytes(count, '\0');
    read_(position, bytes.data(), count);
    return bytes;
  }

  /// The position of the end of the directory. A comment may follow it, whose size is its last number.
  uint64_t find_end() const {
    const uint64_t searched = std::min<uint64_t>(archive_size_, kEndBytes + std::numeric_limits<uint16_t>::max());
    const std::string tail = bytes(archive_size_ - searched, searched);
    for (size_t comment = 0; comment + kEndBytes <= tail.size(); ++comment) {
      const std::string_view end = std::string_view(tail).substr(tail.size() - comment - kEndBytes);
      if (number_at<uint32_t>(end, 0) == kEnd && number_at<uint16_t>(end, 20) == comment) {
        return archive_size_ - end.size();
      }
    }
    throw DamagedFile("it is not a zip archive in a known format, or its end is missing");
  }

  std::string read_directory() const {
    const uint64_t end_position = find_end();
    const std::string end = bytes(end_position, kEndBytes);
    uint64_t size = number_at<uint32_t>(end, 12), position = number_at<uint32_t>(end, 16);
    if (end_position >= kLocatorBytes) {
      const std::string locator = bytes(end_position - kLocatorBytes, kLocatorBytes);
      if (number_at<uint32_t>(locator, 0) == kLocator) {
        const std::string zip64_end = bytes(number_at<uint64_t>(locator, 8), kZip64EndBytes);
        check(number_at<uint32_t>(zip64_end, 0) == kZip64End);
        size = number_at<uint64_t>(zip64_end, 40);
        position = number_at<uint64_t>(zip64_end, 48);
      }
    }
    if (size > kMaxDirectoryBytes) throw DamagedFile("its zip directory has {} bytes", size);
    return bytes(position, size);
  }

  ZipRecord find_record(std::string_view entry, std::string_view extra, bool is_compressed) const {
    uint64_t compressed_size = number_at<uint32_t>(entry, 20), size = number_at<uint32_t>(entry, 24);
    uint64_t header_position = number_at<uint32_t>(entry, 42);
    std::string_view large_numbers = zip64_field(extra);
    for (uint64_t* number : {&size, &compressed_size, &header_position}) {  // the field has them in this order
      if (*number == kInZip64Field) *number = number_at<uint64_t>(take(large_numbers, sizeof(uint64_t)), 0);
    }
    check(is_compressed || compressed_size == size);
    const std::string header = bytes(header_position, kLocalHeaderBytes);
    check(number_at<uint32_t>(header, 0) == kLocalHeader);
    const uint64_t offset = header_position + kLocalHeaderBytes + number_at<uint16_t>(header, 26) +
                            number_at<uint16_t>(header, 28);  // name and extra field
    if (offset > archive_size_ || compressed_size > archive_size_ - offset) {
      throw DamagedFile("a record of {} bytes ends beyond the file", compressed_size);
    }
    return {.offset = offset,
            .size = compressed_size,
            .content_size = size,
            .is_compressed = is_compressed,
            .checksum = number_at<uint32_t>(entry, 16)};
  }

  /// The part of an entry's extra field with the numbers that need more than 32 bits; empty if there is none.
  static std::string_view zip64_field(std::string_view extra) {
    while (!extra.empty()) {
      const std::string_view header = take(extra, 4);
      const std::string_view field = take(extra, number_at<uint16_t>(header, 2));
      if (number_at<uint16_t>(header, 0) == kZip64Field) return field;
    }
    return {};
  }

  const uint64_t archive_size_;
  const ReadArchive& read_;
};

}  // namespace

std::map<std::string, ZipRecord> read_zip_directory(uint64_t archive_size, const ReadArchive& read) {
  return ZipReader(archive_size, read).records();
}

std::map<std::string, ZipRecord> read_zip_directory(std::string_view archive) {
  return read_zip_directory(archive.size(), [&](uint64_t position, void* to, size_t count) {
    std::memcpy(to, archive.data() + position, count);
  });
}

void check_content(const ZipRecord& record, std::string_view content) {
  if (crc32_of(content) != record.checksum) throw DamagedFile("its checksum does not fit");
}

}  // namespace transformer
