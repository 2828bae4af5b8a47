#include "text/sentencepiece_check.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "catch.h"
#include "text/tokenizer.h"
#include "word_tokenizer.h"

namespace transformer {
namespace {

/// A model without pieces whose field of this number, a NormalizerSpec, has this table.
std::string model_with_table(char field, const std::string& table) {
  const auto with_size = [](char tag, const std::string& bytes) {
    std::string size;
    for (size_t rest = bytes.size(); rest > 0 || size.empty(); rest /= 128) {
      size += static_cast<char>(rest % 128 | (rest >= 128 ? 128 : 0));
    }
    static constexpr char kBytes = 2;
    return static_cast<char>(tag << 3 | kBytes) + size + bytes;
  };
  static constexpr char kTable = 2;
  return with_size(field, with_size(kTable, table));
}

/// A table of a trie with these units, and of texts.
std::string table_of(const std::vector<uint32_t>& units, const std::string& texts) {
  const auto trie_bytes = static_cast<uint32_t>(units.size() * sizeof(uint32_t));
  std::string table(sizeof(trie_bytes) + trie_bytes, '\0');
  std::memcpy(table.data(), &trie_bytes, sizeof(trie_bytes));
  std::memcpy(table.data() + sizeof(trie_bytes), units.data(), trie_bytes);
  return table + texts;
}

}  // namespace

TEST_CASE("a SentencePiece model whose normalization table points outside of it is refused before it is loaded") {
  const std::string sound = tokenizer_of("the cat sat on the mat\n", 20).model_bytes();
  CHECK(is_safe_sentencepiece_model(sound));

  const std::string name = "nmt_nfkc";
  const size_t trie_size = sound.find(name) + name.size() + 4;  // after the table's tag and size
  const size_t first_unit = trie_size + sizeof(uint32_t);
  const auto with_number = [&](size_t position, uint32_t number) {
    std::string bytes = sound;
    return bytes.replace(position, sizeof(number), reinterpret_cast<const char*>(&number), sizeof(number));
  };
  static constexpr uint32_t kFarOffset = 0x7FFFFE00;
  const std::string bytes =
      GENERATE_COPY(with_number(first_unit, kFarOffset), with_number(trie_size, 0xFFFFFFFF), with_number(trie_size, 0),
                    with_number(trie_size, 4), sound.substr(0, first_unit + 10), sound + "\x1A", sound + "\x1B");
  CHECK_FALSE(is_safe_sentencepiece_model(bytes));
  CHECK_THROWS_WITH(Tokenizer(bytes, "v.model").encode("the cat"),
                    Catch::Contains("v.model: not a SentencePiece model"));
}

TEST_CASE("a normalization table is refused if a unit, a leaf or a text of it is missing") {
  static constexpr char kNormalizer = 3, kDenormalizer = 5;
  static constexpr uint32_t kIsValue = 1u << 31, kHasLeaf = 1u << 8, kOffsetOf1 = 1u << 10;
  const std::string texts("a\0", 2);
  std::vector<uint32_t> units(256, kIsValue);
  units[0] = kHasLeaf | kOffsetOf1;  // its leaf is unit 1, its other children are units 0 to 255
  auto few = units, far_leaf = units;
  few.pop_back();
  far_leaf[1] = kIsValue | static_cast<uint32_t>(texts.size());
  for (const char field : {kNormalizer, kDenormalizer}) {
    const auto is_safe = [&](const std::vector<uint32_t>& trie, const std::string& its_texts) {
      return is_safe_sentencepiece_model(model_with_table(field, table_of(trie, its_texts)));
    };
    CHECK(is_safe(units, texts));
    CHECK_FALSE(is_safe(few, texts));
    CHECK_FALSE(is_safe(far_leaf, texts));
    CHECK_FALSE(is_safe(units, "ab"));  // without NUL
  }
}

TEST_CASE("a SentencePiece model is recognized by its beginning") {
  const std::string model = tokenizer_of("the cat sat on the mat\n", 20).model_bytes();
  CHECK(looks_like_sentencepiece_model(model.substr(0, 3)));
  const std::string other = GENERATE("", "\n\x0E", "text\n", "PK\x03\x04", "\n\x0Etext");
  CHECK_FALSE(looks_like_sentencepiece_model(other));
}

}  // namespace transformer
