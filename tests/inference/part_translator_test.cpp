#include "inference/part_translator.h"

#include "base/formats/segments.h"
#include "catch.h"
#include "text/piece_list.h"
#include "word_tokenizer.h"

namespace transformer {

TEST_CASE("the target language of a line, and its tag, are given to each of its sentences") {
  const Tokenizer words = word_tokenizer();
  PieceList list{.pieces = {"</s>", "<unk>", ">>fra<<"}, .unknown = 1, .end = 0};
  for (TokenId id = words.special_tokens().end + 1; id < words.size(); ++id) list.pieces.push_back(words.piece(id));
  const Tokenizer tokenizer(with_piece_list(words.model_bytes(), list), "v");
  std::vector<std::string> translated;
  const auto translate_lines = [&](const std::vector<TranslationRequest>& lines, const auto& /*on_progress*/) {
    std::vector<TranslatedLine> found;
    for (const TranslationRequest& line : lines) {
      translated.push_back(line.text);
      found.push_back({.translations = {{.text = line.text}}});
    }
    return found;
  };
  const SentenceSplitter splitter("en");
  const auto parts_of = [&](const std::string& line) {
    translated.clear();
    PartTranslator(translate_lines, &splitter, nullptr, tokenizer, {"<de>"}).translate({{line}}, [](int64_t) {});
    return translated;
  };
  using Parts = std::vector<std::string>;
  CHECK(parts_of(">>fra<< The cat sat. The mat sat.") == Parts{">>fra<< The cat sat.", ">>fra<< The mat sat."});
  CHECK(parts_of(">>fra<<The cat sat. The mat sat.") == Parts{">>fra<<The cat sat.", ">>fra<<The mat sat."});
  CHECK(parts_of("<de> The cat sat. The mat sat.") == Parts{"<de> The cat sat.", "<de> The mat sat."});
  CHECK(parts_of(">>deu<< The cat sat. The mat sat.") == Parts{">>deu<< The cat sat.", "The mat sat."});
}

TEST_CASE("an expression that takes too long in a line is an error with the line's number") {
  const Tokenizer tokenizer = word_tokenizer();
  const auto translate_lines = [](const std::vector<TranslationRequest>& lines, const auto& /*on_progress*/) {
    std::vector<TranslatedLine> found;
    for (const TranslationRequest& line : lines) found.push_back({.translations = {{.text = line.text}}});
    return found;
  };
  const Placeholders placeholders(/*usual=*/false, {"(a+)+$"});
  const PartTranslator translator(translate_lines, nullptr, &placeholders, tokenizer, {});
  try {
    translator.translate({{"b"}, {std::string(5000, 'a') + "b"}}, [](int64_t) {});
    FAIL("no error");
  } catch (const FormatError& error) {
    CHECK(error.line() == 2);
    CHECK_THAT(error.what(), Catch::Contains("take too long in a line of 5001 bytes"));
  }
}

}  // namespace transformer
