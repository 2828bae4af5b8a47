#include "base/gzip.h"

#include <random>

#include "base/error.h"
#include "base/formats/decompressor.h"
#include "catch.h"

namespace transformer {
namespace {

std::string compressed(const std::string& text) {
  GzipWriter writer;
  std::string bytes;
  for (size_t i = 0; i < text.size(); i += 1000) bytes += writer.add(std::string_view(text).substr(i, 1000));
  return bytes + writer.finish();
}

std::unique_ptr<Decompressor> gzip_decompressor() { return decompressor_for(compressed("")); }

std::string decompress(Decompressor& decompressor, const std::string& bytes) {
  decompressor.add(bytes);
  std::string text;
  for (std::string more = decompressor.next(); !more.empty(); more = decompressor.next()) text += more;
  return text;
}

/// Decompresses `bytes`, passing `part` bytes at a time.
std::string read_in_parts(const std::string& bytes, size_t part) {
  const auto decompressor = gzip_decompressor();
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += part) text += decompress(*decompressor, bytes.substr(i, part));
  CHECK(decompressor->is_complete());
  return text;
}

std::string random_text(size_t size) {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < size) text += static_cast<char>('a' + random() % 20);
  return text;
}

}  // namespace

TEST_CASE("gzip decompresses what was compressed, in parts of any size and from several members") {
  const std::string text = GENERATE(std::string(), std::string("a"), random_text(300000), std::string(1000000, 'x'));
  const std::string bytes = compressed(text);
  CHECK(decompressor_for(bytes) != nullptr);
  for (const size_t part : {size_t{1}, size_t{7}, size_t{4096}, bytes.size()}) {
    if (part == 1 && bytes.size() > 10000) continue;
    CHECK(read_in_parts(bytes, part) == text);
    CHECK(read_in_parts(bytes + compressed("more") + compressed(""), part) == text + "more");
    CHECK(read_in_parts(bytes + std::string(1000, '\0'), part) == text);
  }
}

TEST_CASE("gzip refuses bytes after the last member that are neither a member nor zeros") {
  const std::string bytes = compressed("text"), zero(1, '\0');
  for (const std::string& garbage :
       {std::string("what follows"), std::string("x"), zero + "x", std::string("\x1Fx"), zero + compressed("more")}) {
    for (const size_t part : {size_t{1}, bytes.size() + garbage.size()}) {
      CHECK_THROWS_WITH(read_in_parts(bytes + garbage, part), Catch::Contains("bytes that are not in the gzip format"));
    }
  }
  const auto decompressor = gzip_decompressor();
  decompress(*decompressor, bytes + "\x1F");
  CHECK_FALSE(decompressor->is_complete());
}

TEST_CASE("gzip recognizes truncated and damaged streams") {
  const std::string bytes = compressed(random_text(300000));
  const auto cut = gzip_decompressor();
  decompress(*cut, bytes.substr(0, bytes.size() - 9));
  CHECK_FALSE(cut->is_complete());
  std::string damaged = bytes;
  damaged[bytes.size() / 2] ^= 0x55;
  CHECK_THROWS_AS(decompress(*gzip_decompressor(), damaged), Error);
  CHECK(decompressor_for("plain") == nullptr);
}

}  // namespace transformer
