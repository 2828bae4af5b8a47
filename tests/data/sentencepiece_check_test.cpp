#include "data/sentencepiece_check.h"

#include <cstdint>
#include <string>

#include "catch.h"
#include "data/tokenizer.h"
#include "word_tokenizer.h"

namespace transformer {

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

TEST_CASE("a SentencePiece model is recognized by its beginning") {
  const std::string model = tokenizer_of("the cat sat on the mat\n", 20).model_bytes();
  CHECK(looks_like_sentencepiece_model(model.substr(0, 3)));
  const std::string other = GENERATE("", "\n\x0E", "text\n", "PK\x03\x04", "\n\x0Etext");
  CHECK_FALSE(looks_like_sentencepiece_model(other));
}

}  // namespace transformer
