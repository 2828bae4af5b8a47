#include "base/formats/decompressor.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/gzip.h"
#include "base/line_reader.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "error_of.h"

namespace transformer {
namespace {

std::string gzip(const std::string& text) {
  GzipWriter writer;
  std::string bytes = writer.add(text);
  return bytes + writer.finish();
}

std::string xz(const std::string& text) {
  std::string bytes(lzma_stream_buffer_bound(text.size()), '\0');
  size_t size = 0;
  REQUIRE(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const uint8_t*>(text.data()),
                                  text.size(), reinterpret_cast<uint8_t*>(bytes.data()), &size,
                                  bytes.size()) == LZMA_OK);
  return bytes.substr(0, size);
}

std::string zstd(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  const size_t size = ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 3);
  REQUIRE(ZSTD_isError(size) == 0);
  return bytes.substr(0, size);
}

std::string bzip2(const std::string& text) {
  std::string bytes(text.size() + text.size() / 100 + 700, '\0'), copy = text;
  auto size = static_cast<unsigned>(bytes.size());
  REQUIRE(BZ2_bzBuffToBuffCompress(bytes.data(), &size, copy.data(), static_cast<unsigned>(copy.size()), 9, 0, 0) ==
          BZ_OK);
  return bytes.substr(0, size);
}

using Compress = std::string (*)(const std::string&);

}  // namespace

TEST_CASE("line reader reads files of every compression, of several parts, and names damaged ones") {
  const Compress compress = GENERATE(gzip, xz, zstd, bzip2);
  const TemporaryDirectory directory;
  std::string text;
  std::vector<std::string> lines;
  for (int i = 0; i < 40000; ++i) {
    lines.push_back("line " + std::to_string(i * 7919));
    text += lines.back() + "\n";
  }
  const std::string file = directory / "text", bytes = compress(text);
  CHECK(decompressor_for(bytes) != nullptr);
  write_file_atomically(file, bytes);
  CHECK((read_lines(file) == lines));
  write_file_atomically(file, compress("one\n") + compress("two\n"));
  CHECK(read_lines(file) == std::vector<std::string>{"one", "two"});
  write_file_atomically(file, compress(""));
  CHECK(read_lines(file).empty());
  write_file_atomically(file, bytes.substr(0, bytes.size() / 2));
  CHECK_THROWS_WITH(read_lines(file), Catch::Contains("text:") && Catch::Contains("ends too early"));
  std::string damaged = bytes;
  for (size_t i = damaged.size() / 2; i < damaged.size() / 2 + 50; ++i) damaged[i] = '?';
  write_file_atomically(file, damaged);
  CHECK_THROWS_WITH(read_lines(file), Catch::Contains("text:") && Catch::Contains("cannot be read"));
}

TEST_CASE("a decompressor holds little of a stream that gives much") {
  const Compress compress = GENERATE(xz, zstd, bzip2);
  const std::string bytes = compress(std::string(size_t{1} << 26, 'x'));
  const auto decompressor = decompressor_for(bytes);
  decompressor->add(bytes);
  size_t size = 0, largest = 0;
  for (std::string part = decompressor->next(); !part.empty(); part = decompressor->next()) {
    size += part.size();
    largest = std::max(largest, part.size());
  }
  CHECK(size == size_t{1} << 26);
  CHECK(largest <= size_t{1} << 16);
  CHECK(decompressor->is_complete());
}

TEST_CASE("text that is compressed twice, or with lzma, is refused") {
  const Compress compress = GENERATE(gzip, xz, zstd, bzip2);
  const TemporaryDirectory directory;
  const auto error = [&](const std::string& bytes) {
    write_file_atomically(directory / "text", bytes);
    return error_of(directory, [&] { read_lines(directory / "text"); });
  };
  const std::string twice = "text:1: cannot be read: it is compressed twice; decompress it, and give the text file";
  CHECK(error(gzip(compress("one\ntwo\n"))) == twice);
  CHECK(error(compress(xz("one\ntwo\n"))) == twice);
  const std::string lzma = std::string("]\0\0\x80\0", 5) + std::string(8, '\xFF') + std::string("\0\x37", 2);
  CHECK(error(lzma) ==
        "text:1: cannot be read: it is compressed with lzma; decompress it with `xz -d`, and give the text file");
  CHECK(error("]\n").empty());
}

TEST_CASE("text that begins like a compressed file is text") {
  const std::string text = GENERATE("(a", "BZh", "BZhang 1", "BZh9\n", "\3757", "\x1F", "");
  CHECK(decompressor_for(text) == nullptr);
}

TEST_CASE("a line is complete without further bytes unless it may be compressed") {
  CHECK_FALSE(may_become_compressed("(a)\n"));
  CHECK_FALSE(may_become_compressed("BZh\n"));
  CHECK(may_become_compressed("(\265"));
  CHECK(may_become_compressed("BZh9"));
}

}  // namespace transformer
