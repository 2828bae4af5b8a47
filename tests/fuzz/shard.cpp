#include <cstring>
#include <string>

#include "base/checksum.h"
#include "data/encoded_shard.h"
#include "fuzz.h"

namespace transformer {
namespace {

constexpr int64_t kVocabularySize = 50;
constexpr size_t kNumFiles = 3;

/// Recomputes the checksums of the records, as far as their sizes fit.
std::string with_checksums(std::string bytes) {
  static constexpr size_t kMagic = 8, kSize = sizeof(uint64_t), kHead = kSize + sizeof(uint32_t);
  for (size_t at = kMagic; at + kHead <= bytes.size();) {
    uint64_t size = 0;
    std::memcpy(&size, &bytes[at], kSize);
    if (size > bytes.size() - at - kHead) break;
    const uint32_t checksum = crc32_of({bytes.data() + at + kHead, size});
    std::memcpy(&bytes[at + kSize], &checksum, sizeof(checksum));
    at += kHead + size;
  }
  return bytes;
}

void read_shard(const std::string& content) {
  const InputFile file(content);
  ShardReader reader(file.path());
  for (auto block = reader.next(kVocabularySize, kNumFiles); !block.empty();
       block = reader.next(kVocabularySize, kNumFiles)) {
    for (const EncodedPair& pair : block) {
      require(pair.file < kNumFiles);
      for (const TokenId id : pair.target) require(id >= 0 && id < kVocabularySize);
    }
  }
}

}  // namespace

/// A shard of an encoded text, as it is and with correct checksums.
void fuzz(std::string_view input) {
  allow_error([&] { read_shard(std::string(input)); });
  read_shard(with_checksums(std::string(input)));
}

}  // namespace transformer
