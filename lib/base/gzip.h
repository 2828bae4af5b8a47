#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace transformer {

/// Bytes into the gzip format, part by part.
class GzipWriter {
 public:
  GzipWriter();
  ~GzipWriter();
  GzipWriter(GzipWriter&&) noexcept;

  /// What is ready of all so far, to be written.
  std::string add(std::string_view bytes);
  /// The rest.
  std::string finish();

 private:
  struct Stream;
  std::string deflate_all(std::string_view bytes, int flush);

  std::unique_ptr<Stream> stream_;
};

/// The bytes behind a gzip file of one or more members, part by part. What follows the last member is left out.
class GzipReader {
 public:
  /// Whether a file that begins so is gzip-compressed.
  static bool is_gzip(std::string_view beginning);

  GzipReader();
  ~GzipReader();

  /// The bytes that are known from all so far. Throws Error where they are not of the gzip format.
  std::string add(std::string_view compressed);
  /// Whether a file may end here.
  bool is_complete() const;

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace transformer
