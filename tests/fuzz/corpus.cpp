#include "data/corpus.h"

#include "base/checksum.h"
#include "fuzz.h"

namespace transformer {
namespace {

std::string bytes_of_number(int64_t number) { return {reinterpret_cast<const char*>(&number), sizeof(number)}; }

/// A prepared corpus with correct checksums: `input` has the number of pairs and the size of the vocabulary in a byte
/// each, then the ids and the index.
std::string corpus_file(std::string_view input) {
  static constexpr size_t kEntryBytes = 24, kMaxBytes = 1 << 20;  // one block
  const auto num_pairs = static_cast<unsigned char>(input[0]), vocabulary_size = static_cast<unsigned char>(input[1]);
  std::string file(input.substr(2, kMaxBytes));
  file.resize(std::max((file.size() + 7) / 8 * 8, num_pairs * kEntryBytes));
  const auto num_ids = static_cast<int64_t>((file.size() - num_pairs * kEntryBytes) / sizeof(TokenId));
  const std::string checksums = bytes_of_number(crc32_of(file));
  const std::string numbers =
      bytes_of_number(num_pairs) + bytes_of_number(num_ids) + bytes_of_number(0) + bytes_of_number(vocabulary_size);
  return file + checksums + numbers + bytes_of_number(crc32_of(numbers, crc32_of(checksums))) + "TRFCORP3";
}

void read_pairs(const std::string& content) {
  const InputFile file(content);
  const Corpus corpus(file.path());
  for (int64_t i = 0; i < corpus.size(); ++i) {
    allow_error([&] {
      const SentencePair pair = corpus[i];
      for (const auto side : {pair.source, pair.target}) {
        for (const TokenId id : side) require(id > 0);
      }
    });
  }
}

}  // namespace

/// A file of a prepared corpus, as it is and with correct checksums.
void fuzz(std::string_view input) {
  allow_error([&] { read_pairs(std::string(input)); });
  if (input.size() > 2) read_pairs(corpus_file(input));
}

}  // namespace transformer
