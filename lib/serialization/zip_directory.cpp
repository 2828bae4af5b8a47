#include "serialization/zip_directory.h"

#include <cstring>
#include <limits>
#include <string_view>

#include "base/error.h"

namespace transformer {
namespace {

// The parts of a zip archive, from its beginning: for each record a local header, the name, an extra field and the
// bytes; the directory, with an entry for each record; the ZIP64 end of the directory; its locator; the end of the
// directory. All numbers are little-endian.
constexpr uint32_t kLocalHeader = 0x04034B50, kEntry = 0x02014B50, kZip64End = 0x06064B50, kLocator = 0x07064B50,
                   kEnd = 0x06054B50;
constexpr size_t kLocalHeaderBytes = 30, kEntryBytes = 46, kZip64EndBytes = 56, kLocatorBytes = 20, kEndBytes = 22;

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
      if (number_at<uint16_t>(entry, 10) != 0) throw DamagedFile("its record '{}' is compressed", name);
      check(records.emplace(name, find_record(entry, extra)).second);
    }
    return records;
  }

 private:
  static void check(bool is_sound) {
    if (!is_sound) throw DamagedFile("it is not a zip archive in LibTorch's format");
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

  std::string read_directory() const {
    check(archive_size_ >= kLocatorBytes + kEndBytes);
    const std::string tail = bytes(archive_size_ - kLocatorBytes - kEndBytes, kLocatorBytes + kEndBytes);
    check(number_at<uint32_t>(tail, 0) == kLocator && number_at<uint32_t>(tail, kLocatorBytes) == kEnd);
    const std::string end = bytes(number_at<uint64_t>(tail, 8), kZip64EndBytes);
    check(number_at<uint32_t>(end, 0) == kZip64End);
    const auto size = number_at<uint64_t>(end, 40);
    if (size > kMaxDirectoryBytes) throw DamagedFile("its zip directory has {} bytes", size);
    return bytes(number_at<uint64_t>(end, 48), size);
  }

  ZipRecord find_record(std::string_view entry, std::string_view extra) const {
    uint64_t compressed_size = number_at<uint32_t>(entry, 20), size = number_at<uint32_t>(entry, 24);
    uint64_t header_position = number_at<uint32_t>(entry, 42);
    std::string_view large_numbers = zip64_field(extra);
    for (uint64_t* number : {&size, &compressed_size, &header_position}) {  // the field has them in this order
      if (*number == kInZip64Field) *number = number_at<uint64_t>(take(large_numbers, sizeof(uint64_t)), 0);
    }
    check(compressed_size == size);
    const std::string header = bytes(header_position, kLocalHeaderBytes);
    check(number_at<uint32_t>(header, 0) == kLocalHeader);
    const uint64_t offset = header_position + kLocalHeaderBytes + number_at<uint16_t>(header, 26) +
                            number_at<uint16_t>(header, 28);  // name and extra field
    if (offset > archive_size_ || size > archive_size_ - offset) {
      throw DamagedFile("a record of {} bytes ends beyond the file", size);
    }
    return {offset, size};
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

}  // namespace transformer
