#include <string>

#include "catch.h"
#include "documents/input_document.h"

namespace transformer {
namespace {

/// The text of a Markdown file in capitals.
std::string markdown(const std::string& text) { return InputDocument("a.md", text).capitals(); }

/// A paragraph of Markdown whose text has this translation.
std::string translated_markdown(const std::string& source, const std::string& translation) {
  const Document document = InputDocument("a.md", source).read();
  REQUIRE(document.segments().size() == 1);
  const Segment& segment = *document.segments()[0];
  return with_translations(
      document,
      {with_markup(segment, translation, {{0, 0}, {segment.text.size(), translation.size()}}, document.escape)});
}

}  // namespace

TEST_CASE("Markdown keeps code, links, tables and marks of blocks") {
  const InputDocument document("a.md", R"(---
title: x
---
# my **big** head #

a line with *two words* and [a link](http://x.y/z "t") that
goes on, `code` and <b>bold</b> 2 * 3, a_b.

- item
- [ ] task
  goes on
> quoted
> goes on

```py
code
```

    more code

| one | two |
|---|---|
| cell | a `b` |

[ref]: http://a.b
see [ref] and [text][ref], note[^1] http://u.v

[^1]: the note.

title
=====
<div>
raw
</div>
)");
  CHECK(document.capitals() == R"(---
title: x
---
# MY **BIG** HEAD #

A LINE WITH *TWO WORDS* AND [A LINK](http://x.y/z "t") THAT GOES ON, `code` AND <b>BOLD</b> 2 \* 3, A_B.

- ITEM
- [ ] TASK GOES ON
> QUOTED GOES ON

```py
code
```

    more code

| ONE | TWO |
|---|---|
| CELL | A `b` |

[ref]: http://a.b
SEE [ref] AND [TEXT][ref], NOTE[^1] http://u.v

[^1]: THE NOTE.

TITLE
=====
<div>
raw
</div>
)");
}

TEST_CASE("an entity in Markdown ends with the semicolon behind its name") {
  const InputDocument document("a.md", "The old letter & `cake`; costs &amp; &#38; &eacute;&#xE9; & a;");
  REQUIRE(document.read().segments().size() == 1);
  CHECK(document.read().segments()[0]->text == "The old letter & ; costs & & éé & a;");
  CHECK(document.capitals() == "THE OLD LETTER & `cake`; COSTS & & éé & A;");
  CHECK(InputDocument("a.md", "the &alpha; rays").capitals() == "THE &alpha; RAYS");
}

TEST_CASE("a translation begins no block of Markdown") {
  const Escape escape = InputDocument("a.md", "a").read().escape;
  CHECK(escape("1. a") == "1\\. a");
  CHECK(escape("123456789) a") == "123456789\\) a");
  CHECK(escape("2.") == "2\\.");
  CHECK(escape("2.\ta") == "2\\.\ta");
  for (const std::string text : {"1234567890. a", "1.5 a", "1 a.", "1", "a 1. b", "#a", "-a", "+1", ""}) {
    CHECK(escape(text) == text);
  }
  for (const std::string text :
       {">", ">a", "> a", ">> a", "#", "# a", "## a", "-", "- a", "-\ta", "--", "---", "+", "+ a", "+++", "=", "=="}) {
    CHECK(escape(text) == '\\' + text);
  }
  CHECK(InputDocument("a.md", "1986\\. a\n\n1. b").capitals() == "1986\\. A\n\n1. B");
  CHECK(escape("a #") == "a \\#");
  CHECK(escape("a ##") == "a \\##");
  CHECK(escape("a#") == "a#");
  CHECK(InputDocument("a.md", "# c#\n\n## a ##\n\n# b \\#\n\n##\n\n# #").capitals() ==
        "# C#\n\n## A ##\n\n# B \\#\n\n##\n\n# #");
}

TEST_CASE("a link stays whole if its text is its address, in Markdown") {
  for (const std::string link :
       {"[https://example.com/a](https://example.com/a)", "[example.com](http://example.com \"t\")", "<http://a.b/c>",
        "<me@a.b>", "[me@a.b](mailto:me@a.b)", "http://a.b/c_d_e", "www.a.b", "me@a.b", "[a_b](a\\_b)"}) {
    INFO(link);
    CHECK(markdown("see " + link + " for more.") == "SEE " + link + " FOR MORE.");
  }
  CHECK(markdown("[![Join at https://gitter.im/x](https://badge.svg)](y)") ==
        "[![JOIN AT https://gitter.im/x](https://badge.svg)](y)");
}

TEST_CASE("the text of links and images is translated, and references by their text alone are not, in Markdown") {
  const std::string definitions = "\n\n[ab]: x\n  \"the title\"\n[c]: <y>\n'a\nb'\n";
  const auto with_definitions = [&](const std::string& text) { return markdown(text + definitions); };
  CHECK(with_definitions("one [two](x 'y') three") == "ONE [TWO](x 'y') THREE" + definitions);
  CHECK(with_definitions("one [**two**][ab] three") == "ONE [**TWO**][ab] THREE" + definitions);
  CHECK(with_definitions("one ![two](x) three") == "ONE ![TWO](x) THREE" + definitions);
  CHECK(with_definitions("one [ab], [c][], ![ab] and [*c*]") == "ONE [ab], [c][], ![ab] AND \\[*C*\\]" + definitions);
  CHECK(with_definitions("[ab] one") == "[ab] ONE" + definitions);
  // Text in brackets is a reference only if it is defined.
  CHECK(with_definitions("one [two]") == "ONE \\[TWO\\]" + definitions);
  CHECK_FALSE(markdown("![a ![b](c[d \"e\")](f)").empty());
  CHECK(markdown("one \\![two](x)") == "ONE \\![TWO](x)");
}

TEST_CASE("HTML blocks of Markdown end where CommonMark says") {
  const std::string comment = "<!-- a\n\nb -->\n", script = "<script>\na\n\nb\n</script>\n";
  CHECK(markdown(comment + "c") == comment + "C");
  CHECK(markdown(script + "c") == script + "C");
  CHECK(markdown("<!-- markdownlint-disable -->\n# the old letter") ==
        "<!-- markdownlint-disable -->\n# THE OLD LETTER");
  CHECK(markdown("the bus is late.\n<table><tr><td>the dog</td></tr></table>") ==
        "THE BUS IS LATE.\n<table><tr><td>the dog</td></tr></table>");
  CHECK(markdown("<div>\na\n\nb\n</div>") == "<div>\na\n\nB\n</div>");
}

TEST_CASE("code of Markdown stays as it is, and what is behind it is translated") {
  CHECK(markdown("```code``` is a word here.\n\na") == "```code``` IS A WORD HERE.\n\nA");
  CHECK(markdown("> ```\n> a\nb") == "> ```\n> a\nB");
  CHECK(markdown("- ```\n  a\n\nb") == "- ```\n  a\n\nB");
  CHECK(markdown("- a\n  ```\n  b\n  ```\n  c") == "- A\n  ```\n  b\n  ```\n  C");
  for (const std::string code : {"\ta", "- b\n\n      a", ">     a", "1.  b\n\n\t\ta"}) {
    INFO(code);
    CHECK(InputDocument("a.md", code).capitals().ends_with("a"));
  }
}

TEST_CASE("elements of HTML whose content stays in HTML keep it in Markdown") {
  CHECK(markdown("call <code>red_dog(**bus**)</code> and <kbd class='x'>Ctrl</kbd> now") ==
        "CALL <code>red_dog(**bus**)</code> AND <kbd class='x'>Ctrl</kbd> NOW");
  CHECK(markdown("a <code>b <code>c</code> d</code> e <code/> f <b>g</b>") ==
        "A <code>b <code>c</code> d</code> E <code/> F <b>G</b>");
  CHECK(markdown("a <code>b\n\nc") == "A <code>b\n\nC");
}

TEST_CASE("front matter of Markdown is what is closed and begins at once") {
  for (const std::string matter :
       {"---\na: b\n---\n", "---\na: b\n\nc: d\n...\n", "+++\r\na = 1\r\n+++\r\n", "---\n---\n"}) {
    INFO(matter);
    CHECK(markdown(matter + "a") == matter + "A");
    CHECK(markdown("\uFEFF" + matter + "a") == "\uFEFF" + matter + "A");
  }
  CHECK(markdown("---\n\na\n\n---\n") == "---\n\nA\n\n---\n");
  CHECK(markdown("---\na\n\nb") == "---\nA\n\nB");
  CHECK(markdown(" ---\na\n\n---\n") == " ---\nA\n\n---\n");
}

TEST_CASE("cells of Markdown's tables are segments") {
  CHECK(markdown("one | two\n--- | ---\na \\| b | `c|d` e") == "ONE | TWO\n--- | ---\nA \\| B | `c|d` E");
  CHECK(markdown("one | two\n-|:-:\na | b\nc") == "ONE | TWO\n-|:-:\nA | B\nC");
  CHECK(markdown("> text:\n> | one |\n> |:--|\n> | a |") == "> TEXT:\n> | ONE |\n> |:--|\n> | A |");
  const Document document = InputDocument("a.md", "text:\r\n|one|two|\r\n|--|--|\r\n|a||").read();
  REQUIRE(document.segments().size() == 4);
  CHECK(document.segments()[2]->text == "two");
  CHECK(document.segments()[3]->text == "a");
  CHECK(document.segments()[3]->line == 4);
}

TEST_CASE("footnotes of Markdown are translated behind their marks") {
  CHECK(markdown("[^1]: dog\n[^long]: the note\n  goes on\n\n    and on\n\n        code\n\nend") ==
        "[^1]: DOG\n[^long]: THE NOTE GOES ON\n\n    AND ON\n\n        code\n\nEND");
  CHECK(markdown("> [^a_b*]:dog") == "> [^a_b*]:DOG");
  CHECK(markdown("a[^1] *b*[^2]: [c[^3]](x) `[^4]` [^d e] \\[^5]") ==
        "A[^1] *B*[^2]: [C[^3]](x) `[^4]` \\[^D E\\] \\[^5\\]");
}

TEST_CASE("the mark of an alert of GitHub stays in its line") {
  CHECK(markdown("> [!NOTE]\n> a\n> b") == "> [!NOTE]\n> A B");
  CHECK(markdown("> [!a] b") == "> \\[!A\\] B");
}

TEST_CASE("the lines of a paragraph of Markdown become one, up to a hard line break") {
  CHECK(markdown("> a **b\n> c**\n> *d* <b\n> class=x>e</b>") == "> A **B C** *D* <b\n> class=x>E</b>");
  CHECK(markdown("> > a\n> b  \n> > > c") == "> > A B  \n> > > C");
  CHECK(markdown("a  \n*b*\\\nc <br>\nd") == "A  \n*B*\\\nC <br> D");
  CHECK(markdown("a\n===\nb\nc\n---\n") == "A\n===\nB C\n---\n");
  CHECK(markdown("- a\n  b\n- c\n\n  d\n1) e\n   - f") == "- A B\n- C\n\n  D\n1) E\n   - F");
  const Document document = InputDocument("a.md", "\uFEFF---\nx: y\n---\n\n`x`\na\n\n> b\nc  \nd\n").read();
  REQUIRE(document.segments().size() == 3);
  CHECK(document.segments()[0]->line == 6);
  CHECK(document.segments()[1]->line == 8);
  CHECK(document.segments()[2]->line == 10);
  CHECK(document.segments()[1]->text == "b c");
}

TEST_CASE("Markdown with CRLF, with NUL and without text keeps its other bytes") {
  CHECK(markdown("# a\r\n\r\nb\r\nc  \r\nd\r\n") == "# A\r\n\r\nB C  \r\nD\r\n");
  CHECK(markdown(std::string("\0a\0\n\n\0", 6)) == std::string("\0A\0\n\n\0", 6));
  for (const std::string text : {"", "\n", "\uFEFF", "***", "![](x)\n![](y)\n", "> ", "-", "[a]: b"}) {
    CHECK(markdown(text) == text);
    CHECK(InputDocument("a.md", text).read().segments().empty());
  }
}

TEST_CASE("what is escaped in Markdown is text, and escaped again") {
  CHECK(markdown("to a\\@1.1.1 @b") == "TO A\\@1.1.1 @B");
  const Document document = InputDocument("a.md", "\\*a\\* \\_b_ &lt;c> \\&amp; 1\\. \\`d\\` e\\~f~").read();
  REQUIRE(document.segments().size() == 1);
  CHECK(document.segments()[0]->text == "*a* _b_ <c> &amp; 1. `d` e~f~");
  CHECK(in_capitals(document) == "\\*A\\* \\_B\\_ \\<C> \\&AMP; 1. \\`D\\` E\\~F\\~");
}

TEST_CASE("code spans of Markdown stay apart, and so does what is between them without words") {
  CHECK(InputDocument("a.md", "`--a`, `-b`, `-c`\n\n`x`/`y`").read().segments().empty());
  CHECK(translated_markdown("`--a`, `-b` or `-c`", "neun") == "`--a`, `-b` neun `-c`");
  CHECK(translated_markdown("Use `x` or `y` here.", "Nimm.") == "`x` `y` Nimm.");
  CHECK(translated_markdown("Use `x` or `y` here.", "") == "`x` `y`");
  CHECK(translated_markdown("Use `x`, `y`/`z`; or not.", "Nimm das oder nicht.") ==
        "Nimm `x`, `y`/`z` das oder nicht.");
  CHECK(translated_markdown("See `x`. `y` is new.", "Sieh das. Es ist neu.") == "Sieh das `x`. `y` Es ist neu.");
  CHECK(translated_markdown("(`x`) is the `y`s of `z`", "eins zwei drei").find("``") == std::string::npos);
  CHECK(translated_markdown("`x`, one", "eins") == "`x` eins");
  CHECK(translated_markdown("one: `x`", "\u4E00") == "\u4E00 `x`");
}

TEST_CASE("what is beside markup of Markdown does not change it") {
  // Emphasis and a link or code, of which nothing is between any more.
  CHECK(translated_markdown("**a** or *b* or `c` or [d](u)", "eins zwei drei") == "**eins** *zwei* `c` [drei](u)");
  CHECK(translated_markdown("one **two `c`** and", "eins zwei") == "eins **`c` zwei**");
  CHECK(translated_markdown("x **(a)** y", "\u5B57(a)\u5B57") == "\u5B57 **(a)** \u5B57");
  CHECK(translated_markdown("see [one](u) now", "sieh! eins jetzt") == "sieh! [eins](u) jetzt");
  CHECK(translated_markdown("one [one](u) now", "eins!zwei").find("![") == std::string::npos);
  CHECK(translated_markdown("http://u.v, two", "zwei") == "http://u.v zwei");
  CHECK(translated_markdown("a[^1] one", "(b) eins").find("](") == std::string::npos);
  CHECK(translated_markdown("un*frigging*believable", "unfriggingbelievable") == "un*frigging*believable");
}

TEST_CASE("a pair of Markdown encloses a word, or is left out where there is none, and links stay") {
  CHECK(translated_markdown("a ***b*** c", "eins") == "***eins***");
  CHECK(translated_markdown("**a** b *c*", "eins zwei") == "**eins** *zwei*");
  CHECK(translated_markdown("**a** b *c*", "eins") == "*eins*");
  CHECK(translated_markdown("**a** b ~~c~~ d", "") == "");
  CHECK(translated_markdown("~~a~~ b [c](u \"t\") d", "eins") == "[eins](u \"t\")");
  CHECK(translated_markdown("one [two](u) three **four** five", "eins") == "[two](u) **eins**");
  CHECK(translated_markdown("one **two [three](u)** four", "eins") == "**[eins](u)**");
  CHECK(translated_markdown("one ![two](u) [three](v) four", "eins") == "![two](u) [eins](v)");
  CHECK(translated_markdown("one **`x`** two", "eins") == "**`x`** eins");
}

}  // namespace transformer
