#include "base/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>

#include "base/error.h"

namespace transformer {
namespace {

constexpr int kGzipFormat = 16 + MAX_WBITS;
constexpr size_t kBlock = size_t{1} << 16;
constexpr std::string_view kMagic = "\x1F\x8B";  // with which each member begins

/// Throws Error if the bytes after the last member are not zeros.
void check_padding(std::string_view bytes) {
  if (bytes.find_first_not_of('\0') == std::string_view::npos) return;
  throw Error(
      "the compressed text is followed by bytes that are not in the gzip format; copy or download the file again");
}

void set_input(z_stream& stream, std::string_view bytes) {
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not modify its input
  stream.avail_in = static_cast<uInt>(bytes.size());
}

void set_output(z_stream& stream, std::array<char, kBlock>& block) {
  stream.next_out = reinterpret_cast<Bytef*>(block.data());
  stream.avail_out = static_cast<uInt>(block.size());
}

}  // namespace

struct GzipWriter::Stream {
  Stream() {
    static constexpr int kMemoryLevel = 8;
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
  std::array<char, kBlock> block{};
  std::string compressed;
  set_input(stream_->zlib, bytes);
  do {
    set_output(stream_->zlib, block);
    deflate(&stream_->zlib, flush);
    compressed.append(block.data(), block.size() - stream_->zlib.avail_out);
  } while (stream_->zlib.avail_out == 0);
  return compressed;
}

struct GzipReader::Stream {
  Stream() {
    if (inflateInit2(&zlib, kGzipFormat) != Z_OK) throw std::bad_alloc();
  }
  ~Stream() { inflateEnd(&zlib); }
  z_stream zlib{};
  bool at_member_end = false;
  bool in_padding = false;  // zeros follow the last member
  std::string waiting;      // the byte after a member that may be the first of another member
};

bool GzipReader::is_gzip(std::string_view beginning) { return beginning.starts_with(kMagic); }

GzipReader::GzipReader() : stream_(std::make_unique<Stream>()) {}
GzipReader::~GzipReader() = default;

bool GzipReader::is_complete() const { return stream_->at_member_end && stream_->waiting.empty(); }

std::string GzipReader::add(std::string_view compressed) {
  std::array<char, kBlock> block{};
  std::string bytes;
  const std::string all = stream_->waiting + std::string(compressed);
  stream_->waiting.clear();
  z_stream& zlib = stream_->zlib;
  set_input(zlib, all);
  while (true) {
    if (stream_->at_member_end) {
      const std::string_view rest(all.data() + (all.size() - zlib.avail_in), zlib.avail_in);
      if (!stream_->in_padding && rest == kMagic.substr(0, 1)) {
        stream_->waiting = rest;
        break;
      }
      if (stream_->in_padding || !is_gzip(rest)) {
        check_padding(rest);
        if (!rest.empty()) stream_->in_padding = true;
        break;
      }
      inflateReset(&zlib);
      stream_->at_member_end = false;
    }
    set_output(zlib, block);
    const int status = inflate(&zlib, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      throw Error("{}", zlib.msg == nullptr ? "not in the gzip format" : zlib.msg);
    }
    bytes.append(block.data(), block.size() - zlib.avail_out);
    stream_->at_member_end = status == Z_STREAM_END;
    if (!stream_->at_member_end && zlib.avail_in == 0 && zlib.avail_out > 0) break;  // more input is needed
  }
  return bytes;
}

}  // namespace transformer
