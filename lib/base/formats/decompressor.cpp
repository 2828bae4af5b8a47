#include "base/formats/decompressor.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "base/error.h"

namespace transformer {
namespace {

constexpr size_t kBlock = size_t{1} << 16;

// With what compressed files begin, and each member of a gzip file.
constexpr std::string_view kGzip = "\x1F\x8B", kXz("\3757zXZ\0", 6), kZstd = "(\265/\375", kBzip2 = "BZh";
constexpr std::array<std::string_view, 4> kMarks = {kGzip, kXz, kZstd, kBzip2};

class GzipDecompressor : public Decompressor {
 public:
  GzipDecompressor() {
    if (inflateInit2(&stream_, kGzipFormat) != Z_OK) throw std::bad_alloc();
  }
  ~GzipDecompressor() override { inflateEnd(&stream_); }

  void add(std::string compressed) override {
    compressed_ = std::string(unread()) + compressed;
    stream_.next_in = reinterpret_cast<Bytef*>(compressed_.data());
    stream_.avail_in = static_cast<uInt>(compressed_.size());
  }
  std::string next() override {
    std::string text(kBlock, '\0');
    stream_.next_out = reinterpret_cast<Bytef*>(text.data());
    stream_.avail_out = static_cast<uInt>(text.size());
    while (stream_.avail_out == text.size()) {
      if (is_at_end_ && !begin_member()) break;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
        throw Error("{}", stream_.msg == nullptr ? "not in the gzip format" : stream_.msg);
      }
      is_at_end_ = status == Z_STREAM_END;
      if (!is_at_end_ && stream_.avail_in == 0) break;
    }
    text.resize(text.size() - stream_.avail_out);
    return text;
  }
  bool is_complete() override { return is_at_end_ && unread().empty(); }

 private:
  std::string_view unread() const {
    return std::string_view(compressed_).substr(compressed_.size() - stream_.avail_in);
  }
  /// After a member: begins the next one and returns true if the unread bytes are one. Zeros, which tapes and some
  /// archives add, are ignored, as gzip(1) does. Throws Error if there are other bytes.
  bool begin_member() {
    if (!is_in_padding_ && unread() == kGzip.substr(0, 1)) return false;  // it may be the first byte of a member
    if (!is_in_padding_ && unread().starts_with(kGzip)) {
      inflateReset(&stream_);
      return true;
    }
    if (unread().find_first_not_of('\0') != std::string_view::npos) {
      throw Error(
          "the compressed text is followed by bytes that are not in the gzip format; copy or download the file again");
    }
    is_in_padding_ = is_in_padding_ || !unread().empty();
    stream_.avail_in = 0;
    return false;
  }

  static constexpr int kGzipFormat = 16 + MAX_WBITS;

  z_stream stream_{};
  std::string compressed_;
  bool is_at_end_ = false;      // of a member
  bool is_in_padding_ = false;  // behind the last member
};

class XzDecompressor : public Decompressor {
 public:
  XzDecompressor() {
    static constexpr uint64_t kMaxMemory = uint64_t{512} << 20;  // xz -9 needs 65 MB
    if (lzma_stream_decoder(&stream_, kMaxMemory, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  }
  ~XzDecompressor() override { lzma_end(&stream_); }

  void add(std::string compressed) override {
    compressed_ = std::move(compressed);
    stream_.next_in = reinterpret_cast<const uint8_t*>(compressed_.data());
    stream_.avail_in = compressed_.size();
  }
  std::string next() override {
    std::string text;
    decode(LZMA_RUN, text);
    return text;
  }
  bool is_complete() override {
    std::string text;
    return decode(LZMA_FINISH, text) == LZMA_STREAM_END && text.empty();
  }

 private:
  lzma_ret decode(lzma_action action, std::string& text) {
    text.resize(kBlock);
    stream_.next_out = reinterpret_cast<uint8_t*>(text.data());
    stream_.avail_out = text.size();
    const lzma_ret status = lzma_code(&stream_, action);
    text.resize(text.size() - stream_.avail_out);
    if (status == LZMA_MEMLIMIT_ERROR) throw Error("its xz compression needs more than 512 MB; compress it with xz -9");
    if (status != LZMA_OK && status != LZMA_STREAM_END && status != LZMA_BUF_ERROR) {
      throw Error("the xz stream is damaged; copy or download the file again");
    }
    return status;
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
  std::string compressed_;
};

class ZstdDecompressor : public Decompressor {
 public:
  ZstdDecompressor() : stream_(ZSTD_createDStream(), ZSTD_freeDStream) {
    if (!stream_) throw std::bad_alloc();
  }

  void add(std::string compressed) override {
    compressed_ = std::move(compressed);
    input_ = {compressed_.data(), compressed_.size(), 0};
  }
  std::string next() override {
    std::string text(kBlock, '\0');
    ZSTD_outBuffer output{text.data(), text.size(), 0};
    while (output.pos == 0 && (input_.pos < input_.size || has_output_)) {
      left_ = ZSTD_decompressStream(stream_.get(), &output, &input_);
      if (ZSTD_isError(left_) != 0) fail();
      has_output_ = output.pos == output.size && left_ != 0;
    }
    text.resize(output.pos);
    return text;
  }
  bool is_complete() override { return left_ == 0; }

 private:
  [[noreturn]] void fail() const {
    if (ZSTD_getErrorCode(left_) == ZSTD_error_frameParameter_windowTooLarge) {
      throw Error("its zstd compression needs more than 128 MB; compress it without --long");
    }
    throw Error("the zstd stream is damaged ({}); copy or download the file again", ZSTD_getErrorName(left_));
  }

  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream_;
  std::string compressed_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  bool has_output_ = false;  // whether the library may hold decompressed bytes that did not fit
  size_t left_ = 1;          // 0 at the end of a frame
};

class Bzip2Decompressor : public Decompressor {
 public:
  Bzip2Decompressor() { begin(); }
  ~Bzip2Decompressor() override { BZ2_bzDecompressEnd(&stream_); }

  void add(std::string compressed) override {
    compressed_ = std::move(compressed);
    stream_.next_in = compressed_.data();
    stream_.avail_in = static_cast<unsigned>(compressed_.size());
  }
  std::string next() override {
    std::string text(kBlock, '\0');
    stream_.next_out = text.data();
    stream_.avail_out = static_cast<unsigned>(text.size());
    while (stream_.avail_out == text.size()) {
      if (is_at_end_ && stream_.avail_in > 0) restart();
      const unsigned before = stream_.avail_in;
      if (is_at_end_) break;
      const int status = BZ2_bzDecompress(&stream_);
      if (status != BZ_OK && status != BZ_STREAM_END) throw damage();
      is_at_end_ = status == BZ_STREAM_END;
      if (!is_at_end_ && stream_.avail_in == before && stream_.avail_out == text.size()) break;
    }
    text.resize(text.size() - stream_.avail_out);
    return text;
  }
  bool is_complete() override { return is_at_end_; }

 private:
  static Error damage() { return Error("the bzip2 stream is damaged; copy or download the file again"); }
  void begin() {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  /// For another stream behind the one that has ended, as pbzip2 writes them.
  void restart() {
    const bz_stream rest = stream_;
    BZ2_bzDecompressEnd(&stream_);
    stream_ = {};
    begin();
    stream_.next_in = rest.next_in;
    stream_.avail_in = rest.avail_in;
    stream_.next_out = rest.next_out;
    stream_.avail_out = rest.avail_out;
    is_at_end_ = false;
  }

  bz_stream stream_{};
  std::string compressed_;
  bool is_at_end_ = false;
};

/// "BZh", a level, and the beginning of a block or of the end.
bool is_bzip2(std::string_view beginning) {
  if (!beginning.starts_with(kBzip2) || beginning.size() < 6 || beginning[3] < '1' || beginning[3] > '9') return false;
  return beginning.substr(4).starts_with("1A") || beginning.substr(4).starts_with("\x17\x72");
}

}  // namespace

bool may_become_compressed(std::string_view beginning) {
  if (beginning.starts_with(kBzip2)) return beginning.size() < 6 && beginning.find('\n') == std::string_view::npos;
  return std::any_of(kMarks.begin(), kMarks.end(), [&](std::string_view mark) {
    return beginning.size() < mark.size() && mark.starts_with(beginning);
  });
}

std::unique_ptr<Decompressor> decompressor_for(std::string_view beginning) {
  if (beginning.starts_with(kGzip)) return std::make_unique<GzipDecompressor>();
  if (beginning.starts_with(kXz)) return std::make_unique<XzDecompressor>();
  if (beginning.starts_with(kZstd)) return std::make_unique<ZstdDecompressor>();
  if (is_bzip2(beginning)) return std::make_unique<Bzip2Decompressor>();
  return nullptr;
}

}  // namespace transformer
