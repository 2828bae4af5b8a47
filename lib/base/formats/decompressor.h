#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace transformer {

/// Decompresses a stream as it comes, with little memory however much it gives.
class Decompressor {
 public:
  virtual ~Decompressor() = default;
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  /// Adds compressed bytes; call it once `next` has returned nothing.
  virtual void add(std::string compressed) = 0;
  /// The next decompressed bytes; none if `add` must be called first. Throws Error, whose message is the reason, if the
  /// stream is damaged.
  virtual std::string next() = 0;
  /// Whether the stream may end behind the bytes that were added.
  virtual bool is_complete() = 0;

 protected:
  Decompressor() = default;
};

/// Whether more bytes may make this beginning one that `decompressor_for` knows.
bool may_become_compressed(std::string_view beginning);

/// For a file that begins with these bytes and is compressed with gzip, xz, zstd or bzip2; null for other files.
std::unique_ptr<Decompressor> decompressor_for(std::string_view beginning);

}  // namespace transformer
