#include "text/piece_list.h"

#include <algorithm>

#include "base/error.h"
#include "catch.h"
#include "text/protobuf_message.h"
#include "text/tokenizer.h"
#include "word_tokenizer.h"

namespace transformer {
namespace {

/// The vocabulary of a MarianMT model: the pieces of a SentencePiece model in another order, behind </s> and <unk>, two
/// target languages, and <pad> as the last one.
PieceList marian_list(const Tokenizer& tokenizer) {
  PieceList list{.pieces = {"</s>", "<unk>", ">>fra<<", ">>deu<<"}, .unknown = 1, .end = 0};
  for (TokenId id = static_cast<TokenId>(tokenizer.size()) - 1; id > tokenizer.special_tokens().end; --id) {
    list.pieces.push_back(tokenizer.piece(id));
  }
  list.pieces.push_back("<pad>");
  list.pad = static_cast<TokenId>(list.pieces.size()) - 1;
  return list;
}

std::vector<std::string> pieces_of(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<std::string> pieces;
  for (const TokenId id : tokenizer.encode(text)) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

}  // namespace

TEST_CASE("piece list gives a tokenizer its ids and symbols") {
  const Tokenizer own = word_tokenizer();
  const PieceList list = marian_list(own);
  const std::string bytes = with_piece_list(own.model_bytes(), list);
  CHECK(piece_list_of(bytes) == list);
  CHECK(piece_list_of(own.model_bytes()) == std::nullopt);
  const Tokenizer tokenizer(bytes, "v");
  CHECK(tokenizer.size() == std::ssize(list.pieces));
  const SpecialTokens& special = tokenizer.special_tokens();
  CHECK(special.end == 0);
  CHECK(special.unknown == 1);
  CHECK(special.begin == kNoToken);
  CHECK(special.pad == list.pad);
  CHECK(special.source_has_end);
  CHECK(special.never_generated == std::vector<TokenId>{list.pad, 1});
  CHECK(pieces_of(tokenizer, "the cat sat") == own.encode_as_pieces("the cat sat"));
  CHECK(tokenizer.encode("the cat sat") != own.encode("the cat sat"));
  std::vector<TokenId> ids = tokenizer.encode("the cat sat");
  ids.push_back(special.end);
  ids.push_back(special.pad);
  CHECK(tokenizer.decode(ids) == "the cat sat");
  CHECK(tokenizer.decode({special.unknown}) == own.decode({own.special_tokens().unknown}));
}

TEST_CASE("piece list keeps a target language at the beginning of a text as one piece") {
  const Tokenizer tokenizer(with_piece_list(word_tokenizer().model_bytes(), marian_list(word_tokenizer())), "v");
  auto expected = pieces_of(tokenizer, "the cat");
  expected.insert(expected.begin(), ">>fra<<");
  CHECK(pieces_of(tokenizer, ">>fra<< the cat") == expected);
  CHECK(pieces_of(tokenizer, ">>fra<<the cat") == expected);
  CHECK(tokenizer.encode_as_pieces(">>fra<< the cat") == expected);
  CHECK(tokenizer.language_of(">>fra<<the cat") == ">>fra<<");
  CHECK(tokenizer.language_of(" >>fra<< the cat").empty());
  // Elsewhere, or without such a piece, it is ordinary text, of which this vocabulary lacks the characters.
  for (const char* text : {"the >>fra<< cat", " >>fra<< the cat", ">>xyz<< the cat", ">>fra the cat"}) {
    const auto pieces = pieces_of(tokenizer, text);
    CHECK(std::count(pieces.begin(), pieces.end(), ">>fra<<") == 0);
  }
}

TEST_CASE(
    "a tokenizer for divided texts takes and gives pieces with spaces between them, also those of SentencePiece") {
  const std::string mark(kSpaceMark);
  const PieceList list{.pieces = {"</s>", "<unk>", mark + mark + "Two", mark + "y", mark + "oung", mark + "a@@",
                                  mark + "b", mark + mark},
                       .unknown = 1,
                       .end = 0,
                       .are_divided_texts = true};
  const Tokenizer tokenizer(with_piece_list(word_tokenizer().model_bytes(), list), "v");
  CHECK(tokenizer.takes_divided_texts());
  CHECK(piece_list_of(tokenizer.model_bytes()) == list);
  const std::string text = mark + "Two y oung a@@ b " + mark;
  const std::vector<TokenId> ids = {2, 3, 4, 5, 6, 7};
  CHECK(tokenizer.encode(text) == ids);
  CHECK(tokenizer.decode(ids) == text);
  std::string texts;
  for (const TokenId id : ids) texts += tokenizer.text_of(id);
  CHECK(texts == " " + text);
  CHECK(tokenizer.encode("  y \t Two ") == std::vector<TokenId>{3, 1});
  CHECK(tokenizer.decode({3, 1, 6, 0}) == "y \u2047 b");
  CHECK_FALSE(tokenizer.can_sample());
}

TEST_CASE("piece list has no control symbol that a text could contain") {
  const Tokenizer tokenizer(with_piece_list(word_tokenizer().model_bytes(), marian_list(word_tokenizer())), "v");
  const SpecialTokens& special = tokenizer.special_tokens();
  for (const char* text : {"the </s> cat", "</s>", "<pad>", "the cat</s>", "<unk>"}) {
    INFO(text);
    const auto ids = tokenizer.encode(text);
    CHECK(std::none_of(ids.begin(), ids.end(), [&](TokenId id) { return special.is_control(id); }));
  }
}

TEST_CASE("piece list has pieces that the SentencePiece model of its side lacks") {
  PieceList list = marian_list(word_tokenizer());
  list.pieces.insert(list.pieces.begin() + 2, "Ω");  // of the other side's model
  ++list.pad;
  const Tokenizer tokenizer(with_piece_list(word_tokenizer().model_bytes(), list), "v");
  const auto pieces = pieces_of(tokenizer, "the Ω");
  CHECK(std::count(pieces.begin(), pieces.end(), "Ω") == 1);
  CHECK(tokenizer.decode(tokenizer.encode("the Ω")) == "the Ω");
  // Of those that the list lacks, the text is unknown.
  list.pieces.erase(std::find(list.pieces.begin(), list.pieces.end(), "▁the"));
  --list.pad;
  const Tokenizer smaller(with_piece_list(word_tokenizer().model_bytes(), list), "v");
  CHECK(smaller.encode("the").front() == list.unknown);
}

TEST_CASE("piece list that is damaged is refused") {
  const std::string model = word_tokenizer().model_bytes();
  const PieceList list = marian_list(word_tokenizer());
  PieceList far = list;
  far.pad = static_cast<TokenId>(list.pieces.size());
  CHECK_THROWS_WITH(Tokenizer(with_piece_list(model, far), "v"), Catch::Contains("v: its list of pieces has no piece"));
  PieceList endless = list;
  endless.end = kNoToken;
  CHECK_THROWS_WITH(Tokenizer(with_piece_list(model, endless), "v"), Catch::Contains("lacks an unknown or end symbol"));
  PieceList small{.pieces = {"</s>", "<unk>", "a"}, .unknown = 1, .end = 0};
  CHECK_THROWS_WITH(Tokenizer(with_piece_list(model, small), "v"), Catch::Contains("v: this vocabulary has 3 pieces"));
}

TEST_CASE("protobuf message reads what it writes") {
  std::string message;
  add_bytes(message, 1, "text");
  add_number(message, 20017, 300);
  add_float(message, 2, 1.0F);
  MessageReader reader(message);
  const auto first = reader.next(), second = reader.next(), third = reader.next();
  CHECK(first.value().bytes == "text");
  CHECK(second.value().number == 20017);
  CHECK(second.value().value == 300);
  CHECK(third.value().bytes.size() == 4);
  CHECK_FALSE(reader.next());
  CHECK(reader.is_complete());
  MessageReader cut(std::string_view(message).substr(0, 4));
  CHECK_FALSE(cut.next());
  CHECK_FALSE(cut.is_complete());
}

}  // namespace transformer
