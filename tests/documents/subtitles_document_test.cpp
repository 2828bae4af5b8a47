#include <string>

#include "catch.h"
#include "documents/input_document.h"

namespace transformer {

TEST_CASE("subtitles keep their times, tags and line breaks") {
  const std::string subtitles =
      "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>one two\r\nthree four</i>\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n"
      "- who?\r\n- {\\an8}me.\r\n";
  const InputDocument document("a.srt", subtitles);
  const auto segments = document.read();
  REQUIRE(segments.segments().size() == 3);
  CHECK(segments.segments()[0]->text == "one two three four");
  CHECK(segments.segments()[2]->line == 9);
  CHECK(
      document.capitals() ==
      "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>ONE TWO\r\nTHREE FOUR</i>\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n"
      "- WHO?\r\n- {\\an8}ME.\r\n");
  CHECK(InputDocument("a.srt", "1\n00:00:01,000 --> 00:00:02,000\none\n<i>two</i>\n<i>three\n</i>\n").capitals() ==
        "1\n00:00:01,000 --> 00:00:02,000\nONE\n<i>TWO</i>\n<i>THREE\n</i>\n");
  CHECK(InputDocument("a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\na\n").capitals() ==
        "WEBVTT\n\n00:01.000 --> 00:02.000\nA\n");
}

TEST_CASE("a cue of subtitles ends where the next one begins, also without a blank line or a number") {
  const auto capitals = [](const std::string& text) { return InputDocument("a.srt", text).capitals(); };
  CHECK(capitals("1\n00:00:01,000 --> 00:00:02,000\na 1\n2\n00:00:03,000 --> 00:00:04,000\nb\n") ==
        "1\n00:00:01,000 --> 00:00:02,000\nA 1\n2\n00:00:03,000 --> 00:00:04,000\nB\n");
  CHECK(capitals("00:00:01,000 --> 00:00:02,000\na\n00:00:03,000 --> 00:00:04,000\nb\n") ==
        "00:00:01,000 --> 00:00:02,000\nA\n00:00:03,000 --> 00:00:04,000\nB\n");
  CHECK(capitals("1\n\n00:00:01,000 --> 00:00:02,000\na --> b\n\nc\n\n42 d\n\n2\n\n00:00:03,000 --> 00:00:04,000\n") ==
        "1\n\n00:00:01,000 --> 00:00:02,000\nA --> B\n\nC\n\n42 D\n\n2\n\n00:00:03,000 --> 00:00:04,000\n");
  CHECK(InputDocument("a.srt", "1\n00:00:01,000 --> 00:00:02,000\na\n2\n00:00:03,000 --> 00:00:04,000\nb\n")
            .read()
            .segments()
            .size() == 2);
}

TEST_CASE("subtitles are recognized by their name or by their first times") {
  const std::string without_number = "00:00:01,000 --> 00:00:02,000\na\nb\n";
  CHECK(InputDocument("a", without_number).capitals() == "00:00:01,000 --> 00:00:02,000\nA\nB\n");
  const std::string with_title = "a title\n\n1\n00:00:01,000 --> 00:00:02,000\na\nb\n";
  CHECK(InputDocument("a.SRT", with_title).capitals() == "a title\n\n1\n00:00:01,000 --> 00:00:02,000\nA\nB\n");
}

TEST_CASE("each speaker of a cue has a segment, behind any dash and any tags") {
  for (const std::string dash : {"-", "- ", "\u2010", "\u2013 ", "\u2014 ", "<i>- ", "{\\an8}<i>\u2013 ", " -"}) {
    INFO(dash);
    const std::string times = "1\n00:00:01,000 --> 00:00:02,000\n";
    const InputDocument document("a.srt", times + dash + "one?\n" + dash + "two.\nthree\n");
    CHECK(document.capitals() == times + dash + "ONE?\n" + dash + "TWO.\nTHREE\n");
    const Document read = document.read();
    REQUIRE(read.segments().size() == 2);
    CHECK(read.segments()[0]->text == "one?");
    CHECK(read.segments()[1]->text == "two. three");
  }
}

TEST_CASE("WebVTT has times inside of cues, entities, and notes between cues") {
  const std::string text =
      "WEBVTT\n\nNOTE a\n\nid\n00:01.000 --> 00:02.000 align:start\n<00:01.500><c>a</c> &amp; <v B>b &lt;\n"
      "c&nbsp;1 < &lrm;2</v>\n\nNOTE\nb\n\n00:03.000 --> 00:04.000\n&nbsp;\n";
  const InputDocument document("a.vtt", text);
  const Document read = document.read();
  REQUIRE(read.segments().size() == 1);
  CHECK(read.segments()[0]->text == "a & b < c\u00A01 < 2");
  CHECK(document.capitals() ==
        "WEBVTT\n\nNOTE a\n\nid\n00:01.000 --> 00:02.000 align:start\n<00:01.500><c>A</c> &amp; <v B>B &lt;\n"
        "C\u00A01 &lt; &lrm;2</v>\n\nNOTE\nb\n\n00:03.000 --> 00:04.000\n&nbsp;\n");
  CHECK(InputDocument("a.srt", "1\n00:00:01,000 --> 00:00:02,000\na &amp; b <3 & c\n").capitals() ==
        "1\n00:00:01,000 --> 00:00:02,000\nA &AMP; B <3 & C\n");
}

}  // namespace transformer
