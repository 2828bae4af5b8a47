#include "documents/document.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "catch.h"

namespace transformer {
namespace {

/// A segment of text with tags.
Segment segment_of(const std::string& text) {
  SegmentBuilder builder;
  for (size_t begin = 0; begin < text.size();) {
    const bool is_tag = text[begin] == '<';
    const size_t end = is_tag ? text.find('>', begin) + 1 : std::min(text.find('<', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    if (is_tag) {
      builder.add_markup(part);
    } else {
      builder.add_text(part);
    }
    begin = end;
  }
  const auto content = builder.finish();
  REQUIRE((content.before.empty() && content.after.empty()));
  return content.segment.value();
}

std::string translated(const std::string& source, const std::string& translation) {
  const Segment segment = segment_of(source);
  return with_markup(segment, translation, {{0, 0}, {segment.text.size(), translation.size()}},
                     [](std::string_view text) { return std::string(text); });
}

}  // namespace

TEST_CASE("tags stay where they are in a translation that equals the source") {
  const std::string source =
      GENERATE("a (<b>red</b>) b", "see [<a>1</a>] now", "10 m<sup>2</sup> of CO<sub>2</sub> is",
               "late.<sup>1</sup> The dog", "the <b>bus</b>'s dog is red.", "the <b>bus</b>/<b>dog</b> is late.",
               "do it<a>\u00B6</a> now", "The \"<bpt>bus<ept>\" x",
               "say \"<a>Save</a>\" or \u201C<a>Open</a>\u201D now.", "of \u00AB<b>bold</b>\u00BB and '<i>x</i>' y",
               "one <b><i>two</i></b>, three <br/> four", "() and (<ph>) x", "The<b> bus</b> is", "The <b>bus </b>is",
               "see <a>the link</a> <img/> end", "a <i>the</i> b the c the d <i>the</i> e");
  const std::string text = segment_of(source).text;
  CHECK(translated(source, text) == source);
}

TEST_CASE("tags are beside the words and marks that a translation has, too") {
  CHECK(translated("On <b>Wednesday</b>, the boys can sell sixty-three books.",
                   "Am Mittwoch k\u00F6nnen die Jungen dreiundsechzig B\u00FCcher verkaufen.") ==
        "Am <b>Mittwoch</b> k\u00F6nnen die Jungen dreiundsechzig B\u00FCcher verkaufen.");
  CHECK(translated("The old letter is \"<b>new</b>\".", "Der alte Brief ist \u201Eneu\u201C.") ==
        "Der alte Brief ist \u201E<b>neu</b>\u201C.");
  CHECK(translated("The <b>GitHub</b> page of the project.", "Die Seite des Projekts auf GitHub.") ==
        "Die Seite des Projekts auf <b>GitHub</b>.");
  CHECK(translated("press the <b>red</b> button now<x/>.", "dr\u00FCcke den roten Knopf jetzt!") ==
        "dr\u00FCcke den <b>roten</b> Knopf jetzt<x/>!");
}

TEST_CASE("tags of a text with more words than its translation all stand in it, in their order") {
  CHECK(translated("press the <b>red</b> button now<x/>.", "eins") == "<b>eins</b><x/>");
  CHECK(translated("press the <b>red</b> button now<x/>.", "zwei W\u00F6rter") == "zwei <b>W\u00F6rter</b><x/>");
  CHECK(translated("press the <b>red</b> button now<x/>.", "") == "<b></b><x/>");
  const std::string japanese = translated("press the <b>red</b> button now<x/>.", "今すぐ赤いボタンを押してください。");
  CHECK(japanese.find("</b>") > japanese.find("<b>") + 3);
}

}  // namespace transformer
