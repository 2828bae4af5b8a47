#include "data/tokenizer.h"

#include "base/atomic_file.h"
#include "catch.h"
#include "temporary_directory.h"

namespace transformer {
namespace {

const std::string kText =
    "the cat sat on the mat\nthe dog sat on the cat\nein Hund saß auf der Matte\ndie Katze saß auf dem Hund\n";

}  // namespace

TEST_CASE("tokenizer decodes the pieces of a text to the same text") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "text", kText);
  const Tokenizer tokenizer(Tokenizer::learn({directory / "text"}, {.size = 50, .character_coverage = 1.0}), "v");
  CHECK(tokenizer.size() == 50);
  const auto pieces = tokenizer.encode("the dog saß");
  CHECK(!pieces.empty());
  std::vector<int64_t> ids = {kBegin};
  ids.insert(ids.end(), pieces.begin(), pieces.end());
  ids.push_back(kEnd);
  ids.push_back(kPad);
  CHECK(tokenizer.decode(ids) == "the dog saß");
  CHECK(tokenizer.encode("").empty());
  CHECK(tokenizer.encode("   ").empty());
  CHECK(tokenizer.decode({}).empty());
}

TEST_CASE("tokenizer learns the same pieces every time, from several files or from one") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "all", kText);
  write_file_atomically(directory / "a", kText.substr(0, kText.find("ein")));
  write_file_atomically(directory / "b", kText.substr(kText.find("ein")));
  const Tokenizer one(Tokenizer::learn({directory / "all"}, {50, 1.0}), "v");
  const Tokenizer two(Tokenizer::learn({directory / "a", directory / "b"}, {50, 1.0}), "v");
  for (int64_t id = 0; id < 50; ++id) CHECK(one.piece(id) == two.piece(id));
}

TEST_CASE("tokenizer reports that a text is too short for the vocabulary") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "text", kText);
  CHECK_THROWS_WITH(Tokenizer::learn({directory / "text"}, {.size = 5000, .character_coverage = 1.0}),
                    Catch::Contains("data.vocabulary_size") && Catch::Contains("5000") &&
                        Catch::Contains("smaller data.vocabulary_size"));
  CHECK_THROWS_WITH(Tokenizer::learn({directory / "text"}, {.size = 10, .character_coverage = 1.0}),
                    Catch::Contains("data.vocabulary_size"));
  CHECK_THROWS_WITH(Tokenizer("nonsense", "v.model"), Catch::Contains("v.model: not a SentencePiece model"));
}

TEST_CASE("tokenizer refuses a model for which SentencePiece throws an exception") {
  const auto with_size = [](const std::string& bytes) { return static_cast<char>(bytes.size()) + bytes; };
  const auto piece = [&](const std::string& text, char type) {
    return "\x0A" + with_size("\x0A" + with_size(text) + "\x18" + type);
  };
  static constexpr char kNormal = 1, kUnknownPiece = 2;
  const std::string model = piece("<unk>", kUnknownPiece) + piece(std::string("\0a", 2), kNormal);
  CHECK_THROWS_WITH(Tokenizer(model, "v.model"), Catch::Contains("v.model: not a SentencePiece model"));
}

}  // namespace transformer
