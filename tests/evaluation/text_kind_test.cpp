#include "evaluation/text_kind.h"

#include "catch.h"

namespace transformer {
namespace {

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("text looks tokenized if 100 lines end in a separate period") {
  Lines lines(99, "It is so . \r");
  lines.resize(1000, "It is so.");
  CHECK_FALSE(looks_tokenized(lines));
  lines.push_back("And so .");
  CHECK(looks_tokenized(lines));
}

TEST_CASE("text has four words if one of its lines has, by the tokenization of BLEU") {
  CHECK_FALSE(has_four_words({"", "yes", "a short title\r"}, Tokenization::mteval_13a));
  CHECK(has_four_words({"yes", "a short title."}, Tokenization::mteval_13a));
  CHECK_FALSE(has_four_words({"yes", "a short title."}, Tokenization::none));
  CHECK(has_four_words({"今天天气"}, Tokenization::character));
}

TEST_CASE("text has few spaces if its words are long, as in Chinese, and there is enough of it") {
  const Lines chinese(20, "今天天气很好 我们去公园散步吧然后一起吃饭");
  CHECK(has_few_spaces(chinese));
  CHECK_FALSE(has_few_spaces({chinese.front()}));
  CHECK_FALSE(has_few_spaces(Lines(100, "Today the weather is fine.")));
}

TEST_CASE("text of one word a line has few spaces only if its script has none between words") {
  CHECK_FALSE(has_few_spaces(Lines(500, "Donaudampfschifffahrt")));
  CHECK_FALSE(has_few_spaces(Lines(500, "안녕하세요")));
  CHECK(has_few_spaces(Lines(500, "设置")));
  CHECK(has_few_spaces(Lines(500, "สวัสดี")));
}

}  // namespace transformer
