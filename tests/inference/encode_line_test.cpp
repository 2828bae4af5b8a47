#include "inference/encode_line.h"

#include "base/error.h"
#include "catch.h"
#include "word_tokenizer.h"

namespace transformer {
TEST_CASE("length limit is the number of learned positions, and at most 1,024") {
  ModelConfig config;
  CHECK(length_limit(config).positions == 1024);
  CHECK(length_limit(config).pieces() == 1023);
  config.position = Position::learned;
  config.max_positions = 2000;
  CHECK(length_limit(config).positions == 1024);
  config.max_positions = 512;
  CHECK(length_limit(config).positions == 512);
  CHECK(length_limit(config).reason == "the model's learned positions end at 512");
}

TEST_CASE("a line is encoded up to the limit, or refused with its place") {
  const Tokenizer tokenizer = word_tokenizer();
  const auto pieces = tokenizer.encode("the cat sat");
  const auto count = std::ssize(pieces);
  const LengthLimit enough{count + 1, "that is enough"}, short_by_one{count, "the test ends at this"};
  const EncodedLine whole = encode_line(tokenizer, "the cat sat\r", enough);
  CHECK(whole.pieces == pieces);
  CHECK_FALSE(whole.was_cut);
  CHECK_FALSE(whole.was_invalid);
  const EncodedLine cut = encode_line(tokenizer, "the cat sat", short_by_one);
  CHECK(cut.pieces == std::vector<TokenId>(pieces.begin(), pieces.end() - 1));
  CHECK(cut.was_cut);
  CHECK(encode_line(tokenizer, "the \xFF", enough).was_invalid);

  CHECK(encode_whole_line(tokenizer, "the cat sat", enough, "a:1").pieces == pieces);
  CHECK_THROWS_WITH(encode_whole_line(tokenizer, "the cat sat", short_by_one, "a:1"),
                    Catch::StartsWith("a:1: has more than ") && Catch::Contains(", but the test ends at this, "));
  // Lines of megabytes are cut before they are split into pieces, and not within a character.
  std::string very_long = "a";
  for (int i = 0; i < 1000000; ++i) very_long += "\u00df";
  const EncodedLine many = encode_line(tokenizer, very_long, {12, "the test ends at this"});
  CHECK(many.pieces.size() == 11);
  CHECK(many.was_cut);
  CHECK_FALSE(many.was_invalid);
}

TEST_CASE("the pieces of a tag are before those of the line, and count in its length") {
  const Tokenizer tokenizer = word_tokenizer();
  const auto tag = tokenizer.encode("ein Hund"), pieces = tokenizer.encode("the cat");
  auto both = tag;
  both.insert(both.end(), pieces.begin(), pieces.end());
  const LengthLimit enough{std::ssize(both) + 1, "that is enough"}, short_by_one{std::ssize(both), "the test ends"};
  const EncodedLine whole = encode_line(tokenizer, "the cat", enough, tag);
  CHECK(whole.pieces == both);
  CHECK(whole.pieces == tokenizer.encode("ein Hund the cat"));
  CHECK(whole.tag_size == tag.size());
  CHECK(whole.text == "the cat");
  CHECK_FALSE(whole.was_cut);
  CHECK(encode_line(tokenizer, "the cat", short_by_one, tag).was_cut);
  CHECK(encode_line(tokenizer, "the cat", {2, "the test ends"}, tag).tag_size == 1);
  for (const char* blank : {"", " ", "\r"}) {
    CHECK(encode_line(tokenizer, blank, enough, tag).pieces.empty());
    CHECK(encode_line(tokenizer, blank, enough, tag).tag_size == 0);
  }
  CHECK(encode_whole_line(tokenizer, "the cat", enough, "a:1", tag).pieces == both);
  CHECK_THROWS_WITH(encode_whole_line(tokenizer, "the cat", short_by_one, "a:1", tag), Catch::StartsWith("a:1: has"));
}

TEST_CASE("a prefix with unknown pieces is refused with their characters") {
  const Tokenizer tokenizer = word_tokenizer();
  const auto check = [&](const std::string& prefix) {
    check_is_known_prefix(tokenizer, prefix, tokenizer.encode(prefix), "a:1");
  };
  CHECK_NOTHROW(check("the cat"));
  CHECK_THROWS_WITH(check("the \u2603 cat"),
                    Catch::StartsWith("a:1: has '\u2603', which the model's vocabulary lacks"));
}

TEST_CASE("learned positions are named where an option raises the length limit of outputs") {
  CHECK(remark_on_positions(41) == " up to the model's 41 learned positions");
  CHECK(remark_on_positions({}).empty());
}

}  // namespace transformer
