#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace transformer {

/// Compresses a stream of bytes into the gzip format.
class GzipWriter {
 public:
  GzipWriter();
  ~GzipWriter();
  GzipWriter(GzipWriter&&) noexcept;

  /// Adds bytes, and returns the compressed bytes that are ready to be written.
  std::string add(std::string_view bytes);
  /// Ends the stream, and returns the remaining compressed bytes.
  std::string finish();

 private:
  struct Stream;
  std::string deflate_all(std::string_view bytes, int flush);

  std::unique_ptr<Stream> stream_;
};

/// Decompresses a stream in the gzip format with one or more members. Zeros after the last member, which tapes and some
/// archives add, are ignored, as gzip(1) does.
class GzipReader {
 public:
  /// Whether a file that begins with these bytes is gzip-compressed.
  static bool is_gzip(std::string_view beginning);

  GzipReader();
  ~GzipReader();

  /// Adds compressed bytes, and returns the decompressed bytes that are available. Throws Error if the stream is not in
  /// the gzip format, or if other bytes than zeros follow its last member.
  std::string add(std::string_view compressed);
  /// Whether the stream may end here: all members that have begun are complete.
  bool is_complete() const;

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace transformer
