#include "text/source_tags.h"

#include "base/parameter_error.h"
#include "catch.h"
#include "text/piece_list.h"
#include "word_tokenizer.h"

namespace transformer {
namespace {

/// An imported vocabulary with two target languages, in the order of their ids.
Tokenizer tokenizer_with_languages() {
  const Tokenizer words = word_tokenizer();
  PieceList list{.pieces = {"</s>", "<unk>", ">>fra<<", ">>deu<<"}, .unknown = 1, .end = 0};
  for (TokenId id = words.special_tokens().end + 1; id < words.size(); ++id) list.pieces.push_back(words.piece(id));
  return {with_piece_list(words.model_bytes(), list), "v"};
}

}  // namespace

TEST_CASE("pieces of a tag are put before those of a line that is not blank") {
  std::vector<TokenId> line = {7, 8}, blank;
  CHECK(put_tag_before(line, {5, 6}) == 2);
  CHECK(line == std::vector<TokenId>{5, 6, 7, 8});
  CHECK(put_tag_before(blank, {5, 6}) == 0);
  CHECK(blank.empty());
}

TEST_CASE("a chosen tag is put before lines that begin with none of the model's tags") {
  const Tokenizer words = word_tokenizer();
  const SourceTags tags(words, {"<de>", "", "<en>"}, "<de>");
  const auto pieces = words.encode("<de>");
  const std::vector<TokenId> none;
  CHECK(tags.before_line("the cat") == pieces);
  CHECK(tags.before_line("<fr> the cat") == pieces);
  for (const char* tagged : {"<de> the cat", "<en> the cat", " <en>\tthe cat", "<en>"}) {
    INFO(tagged);
    CHECK(tags.before_line(tagged) == none);
  }
  CHECK(tags.size_in("<en>  the cat") == 6);
  CHECK(tags.size_in("the <en> cat") == 0);
  CHECK(tags.size_in(" ") == 0);
  // The parts of a line have its own tag, if it has one.
  CHECK(tags.before_part_of("<en> the cat") == words.encode("<en>"));
  CHECK(tags.before_part_of("the cat") == pieces);

  const SourceTags unchosen(words, {"<de>", ""});
  CHECK(unchosen.before_line("the cat") == none);
  CHECK(unchosen.before_part_of("<de> the cat") == pieces);
}

TEST_CASE("the target languages of an imported vocabulary are tags of the model") {
  const Tokenizer tokenizer = tokenizer_with_languages();
  const SourceTags tags(tokenizer, {}, ">>fra<<");
  CHECK(tags.before_line("the cat") == std::vector<TokenId>{2});
  CHECK(tags.before_line(">>deu<<the cat").empty());
  CHECK(tags.size_in(">>deu<<the cat") == 7);
  CHECK(tags.before_part_of(">>deu<< the cat") == std::vector<TokenId>{3});
  CHECK_THROWS_WITH(SourceTags(tokenizer, {"<bt>"}, "fra"),
                    "'tag' fra: is no tag of the model; give <bt>, >>deu<< or >>fra<<");
}

TEST_CASE("a chosen tag is refused if it is none of the model's") {
  const Tokenizer words = word_tokenizer();
  const auto check = [&](const std::vector<std::string>& tags, const std::string& chosen) {
    SourceTags(words, tags, chosen);
  };
  CHECK_THROWS_WITH(check({"<en>", "", "<de>", "<en>"}, "<fr>"),
                    "'tag' <fr>: is no tag of the model; give <de> or <en>");
  CHECK_THROWS_WITH(check({"<de>"}, "the"), Catch::StartsWith("'tag' the: is no tag of the model"));
  for (const char* no_word : {"", " ", "<de> the", "<de>\n"}) {
    CHECK_THROWS_WITH(check({"<de>"}, no_word), Catch::EndsWith("must be a single word, such as <2de>"));
  }
  // Without tags in its config, a model may have them in its vocabulary.
  CHECK_NOTHROW(check({}, "the"));
  for (const char* unknown : {"<2de>", "\u0436", "thecat"}) {
    CHECK_THROWS_WITH(check({""}, unknown), Catch::Contains(": the model has no tags, and its vocabulary no piece"));
    CHECK_THROWS_AS(check({}, unknown), ParameterError);
  }
}

}  // namespace transformer
