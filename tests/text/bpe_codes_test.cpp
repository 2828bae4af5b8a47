#include "text/bpe_codes.h"

#include <fmt/ranges.h>

#include "base/error.h"
#include "catch.h"
#include "text/protobuf_message.h"
#include "text/tokenizer.h"
#include "word_tokenizer.h"

namespace transformer {
namespace {

std::string applied(const std::string& codes, const std::string& text) {
  return fmt::format("{}", fmt::join(BpeCodes(codes).apply(text), " "));
}

const std::string kCodes = "#version: 0.2\ne r</w>\nx x\ne i\nei n\ne r\nein er\nt e\nt e\nh te\n";

/// The bytes of a SentencePiece model with these pieces, which divides text at spaces.
std::string space_divider(const std::vector<std::string>& pieces) {
  static constexpr uint64_t kUnknown = 2, kWordModel = 3;
  std::string model, trainer;
  for (const std::string& text : pieces) {
    std::string piece;
    add_bytes(piece, 1, text);
    add_float(piece, 2, 0);
    if (text == "<unk>") add_number(piece, 3, kUnknown);
    add_bytes(model, 1, piece);
  }
  add_number(trainer, 3, kWordModel);
  add_bytes(model, 2, trainer);
  return model;
}

}  // namespace

// The expected texts are those of subword-nmt 0.3.8: subword-nmt apply-bpe -c CODES.
TEST_CASE("BPE codes divide text as subword-nmt does") {
  const std::string german = "Ein Mann mit einer Frau steht in der Straße .", repeated = "a  bb   ccc eeeee einereiner",
                    other = "xxx ßß é 日本 @@ a@@ b</w>";
  CHECK(applied(kCodes, german) ==
        "E@@ i@@ n M@@ a@@ n@@ n m@@ i@@ t ein@@ er F@@ r@@ a@@ u s@@ te@@ h@@ t i@@ n d@@ er S@@ t@@ r@@ a@@ ß@@ e .");
  CHECK(applied(kCodes, repeated) == "a b@@ b c@@ c@@ c e@@ e@@ e@@ e@@ e einer@@ ein@@ er");
  CHECK(applied(kCodes, other) == "xx@@ x ß@@ ß é 日@@ 本 @@@ @ a@@ @@@ @ b@@ <@@ /@@ w@@ >");
  const std::string old =
      "er </w>\ne r\nx x\nn </w>\n";  // version 0.1, in which the end of a word is a symbol of its own
  CHECK(applied(old, german) ==
        "E@@ i@@ n M@@ a@@ n@@ n m@@ i@@ t e@@ i@@ n@@ er F@@ r@@ a@@ u s@@ t@@ e@@ h@@ t i@@ n d@@ er S@@ t@@ r@@ a@@ "
        "ß@@ e .");
  CHECK(applied(old, repeated) == "a b@@ b c@@ c@@ c e@@ e@@ e@@ e@@ e e@@ i@@ n@@ er@@ e@@ i@@ n@@ er");
  CHECK(applied("#version: 0.1\n" + old, other) == "xx@@ x ß@@ ß é 日@@ 本 @@@ @ a@@ @@@ @ b@@ <@@ /@@ w@@ >");
  CHECK(applied(kCodes, " \r\n").empty());
}

TEST_CASE("pieces of BPE codes are joined again") {
  CHECK(joined_bpe_pieces("lo@@ w") == "low");
  CHECK(joined_bpe_pieces("lo@@ w@@") == "low");
  CHECK(joined_bpe_pieces("a@@b @@ c") == "a@@b c");
  CHECK(joined_bpe_pieces("").empty());
}

TEST_CASE("a file that has no BPE codes is refused with the line") {
  CHECK_THROWS_WITH(BpeCodes("#version: 0.2\na b\na b c\n"), Catch::Contains("line 3 is not two symbols"));
  CHECK_THROWS_WITH(BpeCodes("#version: 0.3\na b\n"), Catch::Contains("version 0.3"));
  CHECK_THROWS_WITH(BpeCodes("a\n"), Catch::Contains("line 1"));
  CHECK_THROWS_WITH(BpeCodes("a \xFF\n"), Catch::Contains("UTF-8"));
}

TEST_CASE("a tokenizer with BPE codes divides text by them and joins its pieces") {
  PieceList list{.pieces = {"</s>", "<unk>"}, .unknown = 1, .end = 0};
  for (const std::string piece : {">>deu<<", "ein", "ein@@", "er", "t@@", "e", "x"}) {
    list.pieces.push_back(std::string(kSpaceMark) + piece);
  }
  const std::string divider = space_divider(list.pieces);
  const std::string bytes = with_bpe_codes(with_piece_list(divider, list), kCodes);
  CHECK(bpe_codes_of(bytes) == kCodes);
  CHECK(bpe_codes_of(divider) == std::nullopt);
  CHECK(plain_sentencepiece(bytes) == divider);
  const Tokenizer tokenizer(bytes, "v");
  CHECK(tokenizer.encode("einer te x") == std::vector<TokenId>{4, 5, 6, 7, 8});
  CHECK(tokenizer.encode(">>deu<< einer ?") == std::vector<TokenId>{2, 4, 5, 1});
  CHECK(tokenizer.decode({4, 5, 6, 7, 8, 0}) == "einer te x");
  std::string text;
  for (const TokenId id : {4, 5, 6, 7, 8, 0}) text += tokenizer.text_of(id);
  CHECK(text == "einer te x ");
  CHECK_FALSE(tokenizer.can_sample());
  CHECK_THROWS_WITH(Tokenizer(with_bpe_codes(word_tokenizer().model_bytes(), "a b c"), "v"),
                    Catch::Contains("v: ") && Catch::Contains("line 1"));
}

}  // namespace transformer
