#include "base/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "base/error.h"

namespace transformer {
namespace {

/// How many bytes one byte of a deflate stream can give, at most.
constexpr uint64_t kMaxRatio = 1032;

struct Stream {
  Stream() {
    static constexpr int kWithoutHeader = -MAX_WBITS;
    if (inflateInit2(&zlib, kWithoutHeader) != Z_OK) throw std::bad_alloc();
  }
  ~Stream() { inflateEnd(&zlib); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  z_stream zlib{};
};

/// zlib counts in 32 bits.
uInt part_of(size_t size) { return static_cast<uInt>(std::min<size_t>(size, std::numeric_limits<uInt>::max() / 2)); }

}  // namespace

std::string inflate_bytes(std::string_view compressed, uint64_t size) {
  if (size / kMaxRatio > compressed.size()) {
    throw DamagedFile("{} compressed bytes cannot give {} bytes", compressed.size(), size);
  }
  std::string bytes(size, '\0');
  char nothing = 0;  // zlib wants a place to write even for no bytes
  Stream stream;
  z_stream& zlib = stream.zlib;
  size_t done = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));  // zlib does not modify its input
    zlib.avail_in = part_of(compressed.size());
    zlib.next_out = reinterpret_cast<Bytef*>(done < bytes.size() ? bytes.data() + done : &nothing);
    zlib.avail_out = part_of(bytes.size() - done);
    const uInt given = zlib.avail_in, room = zlib.avail_out;
    status = inflate(&zlib, Z_NO_FLUSH);
    compressed.remove_prefix(given - zlib.avail_in);
    done += room - zlib.avail_out;
  }
  if (status != Z_STREAM_END || done != bytes.size()) throw DamagedFile("compressed bytes are damaged");
  return bytes;
}

}  // namespace transformer
