#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace transformer {

/// Compresses a stream of bytes into the gzip format. What reads it is in base/formats/decompressor.h.
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

}  // namespace transformer
