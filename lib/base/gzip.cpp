#include "base/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>

namespace transformer {

struct GzipWriter::Stream {
  Stream() {
    static constexpr int kGzipFormat = 16 + MAX_WBITS, kMemoryLevel = 8;
    if (deflateInit2(&zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipFormat, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Stream() { deflateEnd(&zlib); }
  z_stream zlib{};
};

GzipWriter::GzipWriter() : stream_(std::make_unique<Stream>()) {}
GzipWriter::~GzipWriter() = default;
GzipWriter::GzipWriter(GzipWriter&&) noexcept = default;

std::string GzipWriter::add(std::string_view bytes) {
  static constexpr size_t kMaxPart = size_t{1} << 30;  // zlib counts its input in 32 bits
  std::string compressed;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kMaxPart, bytes.size()))) {
    compressed += deflate_all(bytes.substr(0, kMaxPart), Z_NO_FLUSH);
  }
  return compressed;
}

std::string GzipWriter::finish() { return deflate_all("", Z_FINISH); }

std::string GzipWriter::deflate_all(std::string_view bytes, int flush) {
  std::array<char, size_t{1} << 16> block{};
  std::string compressed;
  z_stream& zlib = stream_->zlib;
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not modify its input
  zlib.avail_in = static_cast<uInt>(bytes.size());
  do {
    zlib.next_out = reinterpret_cast<Bytef*>(block.data());
    zlib.avail_out = static_cast<uInt>(block.size());
    deflate(&zlib, flush);
    compressed.append(block.data(), block.size() - zlib.avail_out);
  } while (zlib.avail_out == 0);
  return compressed;
}

}  // namespace transformer
