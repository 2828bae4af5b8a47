#include "inference/part_translator.h"

#include <optional>
#include <string>
#include <vector>

#include "base/formats/segments.h"
#include "base/words.h"
#include "catch.h"
#include "text/piece_list.h"
#include "word_tokenizer.h"

namespace transformer {

TEST_CASE("each sentence of a line gets its target language, its tag or the chosen one") {
  const Tokenizer words = word_tokenizer();
  PieceList list{.pieces = {"</s>", "<unk>", ">>fra<<"}, .unknown = 1, .end = 0};
  for (TokenId id = words.special_tokens().end + 1; id < words.size(); ++id) list.pieces.push_back(words.piece(id));
  const Tokenizer tokenizer(with_piece_list(words.model_bytes(), list), "v");
  std::vector<std::string> translated;
  const auto translate_lines = [&](const std::vector<TranslationRequest>& lines, const auto& /*on_progress*/) {
    std::vector<TranslatedLine> found;
    for (const TranslationRequest& line : lines) {
      std::string pieces;
      for (const TokenId id : line.tag) pieces += tokenizer.piece(id);
      translated.push_back(pieces + "|" + line.text);
      found.push_back({.translations = {{.text = line.text}}});
    }
    return found;
  };
  const SentenceSplitter splitter("en");
  const auto parts_of = [&](const std::string& line, const std::optional<std::string>& chosen = {}) {
    translated.clear();
    const SourceTags tags(tokenizer, {"the"}, chosen);
    PartTranslator(translate_lines, &splitter, nullptr, tags).translate({{line}}, [](int64_t) {});
    return translated;
  };
  using Parts = std::vector<std::string>;
  const std::string the = std::string(kSpaceMark) + "the|";
  CHECK(parts_of(">>fra<< The cat sat. The mat sat.") == Parts{">>fra<<|The cat sat.", ">>fra<<|The mat sat."});
  CHECK(parts_of(">>fra<<The cat sat. The mat sat.") == Parts{">>fra<<|The cat sat.", ">>fra<<|The mat sat."});
  CHECK(parts_of("the The cat sat. The mat sat.") == Parts{the + "The cat sat.", the + "The mat sat."});
  CHECK(parts_of(">>deu<< The cat sat. The mat sat.") == Parts{"|>>deu<< The cat sat.", "|The mat sat."});
  CHECK(parts_of("The cat sat. The mat sat.", "the") == Parts{the + "The cat sat.", the + "The mat sat."});
  CHECK(parts_of(">>fra<< The cat sat. The mat sat.", "the") == Parts{">>fra<<|The cat sat.", ">>fra<<|The mat sat."});
}

TEST_CASE("whole lines get the chosen tag, and what is between placeholders, too, unless it is blank") {
  const Tokenizer tokenizer = word_tokenizer();
  const auto the = tokenizer.encode("the");
  std::vector<TranslationRequest> asked;
  const auto translate_lines = [&](const std::vector<TranslationRequest>& lines, const auto& /*on_progress*/) {
    std::vector<TranslatedLine> found;
    for (const TranslationRequest& line : lines) {
      asked.push_back(line);
      found.push_back(
          {.translations = {{.text = line.text.starts_with("a {") ? "a" : std::string(trimmed(line.text))}}});
    }
    return found;
  };
  const SourceTags tags(tokenizer, {"the", "on"}, "the");
  PartTranslator(translate_lines, nullptr, nullptr, tags).translate({{"cat"}, {"on cat"}, {""}}, [](int64_t) {});
  REQUIRE(asked.size() == 3);
  CHECK(asked[0].tag == the);
  CHECK(asked[0].text == "cat");
  CHECK(asked[1].tag.empty());
  CHECK(asked[1].text == "on cat");
  CHECK(asked[2].text.empty());

  asked.clear();
  const Placeholders placeholders(/*usual=*/true, {});
  const auto joined =
      PartTranslator(translate_lines, nullptr, &placeholders, tags).translate({{"a {x} b {y}"}}, [](int64_t) {});
  CHECK(joined.at(0).line.best().text == "a {x} b {y}");
  REQUIRE(asked.size() == 4);  // the line, and the text between its placeholders
  for (const size_t part : {1, 2}) CHECK(asked[part].tag == the);
  CHECK(asked[3].text.empty());
}

TEST_CASE("an expression that takes too long in a line is an error with the line's number") {
  const Tokenizer tokenizer = word_tokenizer();
  const auto translate_lines = [](const std::vector<TranslationRequest>& lines, const auto& /*on_progress*/) {
    std::vector<TranslatedLine> found;
    for (const TranslationRequest& line : lines) found.push_back({.translations = {{.text = line.text}}});
    return found;
  };
  const Placeholders placeholders(/*usual=*/false, {"(a+)+$"});
  const SourceTags tags(tokenizer, {});
  const PartTranslator translator(translate_lines, nullptr, &placeholders, tags);
  try {
    translator.translate({{"b"}, {std::string(5000, 'a') + "b"}}, [](int64_t) {});
    FAIL("no error");
  } catch (const FormatError& error) {
    CHECK(error.line() == 2);
    CHECK_THAT(error.what(), Catch::Contains("take too long in a line of 5001 bytes"));
  }
}

}  // namespace transformer
