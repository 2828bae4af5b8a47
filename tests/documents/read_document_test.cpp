#include "documents/read_document.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/parameter_error.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "error_of.h"

namespace transformer {
namespace {

/// The document with each segment in capitals.
std::string in_capitals(const Document& document) {
  std::vector<std::string> texts;
  for (const Segment* segment : document.segments()) {
    std::string text = segment->text;
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(c < 0x80 ? std::toupper(c) : c); });
    const size_t size = text.size();
    texts.push_back(with_markup(*segment, text, {{0, 0}, {size, size}}, document.escape));
  }
  return with_translations(document, texts);
}

/// A file of this name and content.
class InputDocument {
 public:
  InputDocument(std::string name, const std::string& text) : name_(std::move(name)) {
    write_file_atomically(directory_ / name_, text);
  }
  Document read(const std::string& part = "", const std::string& into = "") const {
    return read_document((directory_ / name_) + part, into);
  }
  std::string capitals(const std::string& part = "", const std::string& into = "") const {
    return in_capitals(read(part, into));
  }
  std::string error(const std::string& part = "", const std::string& into = "") const {
    return error_of(directory_, [&] { read(part, into); });
  }

 private:
  TemporaryDirectory directory_;
  std::string name_;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

const std::string kXliff1 = R"(<?xml version="1.0"?>
<x:xliff version="1.2" xmlns:x="urn:oasis:names:tc:xliff:document:1.2"><x:file source-language="en-US" target-language="de"><x:body>
<x:trans-unit id="1">
  <x:source>Go <x:g id="1">there now</x:g>, <x:x id="2"/>you <x:ph id="3">code</x:ph> &amp; me</x:source>
  <x:note>n</x:note></x:trans-unit>
</x:body></x:file></x:xliff>)";

std::string unit(const std::string& content, const std::string& attributes = "") {
  return "<xliff version=\"1.2\"><file source-language=\"en\"><trans-unit" + attributes + ">" + content +
         "</trans-unit></file></xliff>";
}
constexpr const char* kTarget = "<target state=\"needs-review-translation\" state-qualifier=\"mt-suggestion\">";

}  // namespace

TEST_CASE("XLIFF 1.2 gets targets behind its sources, with inline tags, and nothing else changes") {
  const std::string target =
      "\n  <x:target state=\"needs-review-translation\" state-qualifier=\"mt-suggestion\">GO <x:g id=\"1\">THERE "
      "NOW</x:g>, <x:x id=\"2\"/>YOU <x:ph id=\"3\">code</x:ph> &amp; ME</x:target>";
  CHECK(InputDocument("a.xlf", kXliff1).capitals() == replaced(kXliff1, "</x:source>", "</x:source>" + target));
  const auto capitals = [](const std::string& text) { return InputDocument("a.xlf", text).capitals(); };
  CHECK(capitals(unit("<source> a </source><target/>")) ==
        unit(std::string("<source> a </source>") + kTarget + " A </target>"));
  CHECK(capitals(unit("<source>a</source><target xml:lang='de' state='new'>x<g/></target>")) ==
        unit("<source>a</source><target xml:lang='de' state=\"needs-review-translation\" "
             "state-qualifier=\"mt-suggestion\">A</target>"));
  CHECK(capitals(unit("<source><![CDATA[a <]]></source>")) ==
        unit(std::string("<source><![CDATA[a <]]></source>") + kTarget + "A &lt;</target>"));
  CHECK(capitals(unit("<source>a\nb</source>", " xml:space=\"preserve\"")) ==
        unit(std::string("<source>a\nb</source>") + kTarget + "A\nB</target>", " xml:space=\"preserve\""));
  CHECK(capitals(unit("<source>a\n b</source>")) ==
        unit(std::string("<source>a\n b</source>") + kTarget + "A B</target>"));
}

TEST_CASE("XLIFF's segmented sources make segmented targets, and alternatives stay") {
  const std::string before =
      "<source>A. b.</source><seg-source><mrk mtype=\"seg\" mid=\"1\">A.</mrk> <mrk mtype=\"seg\" mid=\"2\"><g "
      "id=\"1\">b</g>.</mrk></seg-source>";
  const std::string behind = "<alt-trans><source>no</source><target>nein</target></alt-trans>";
  const Document document = InputDocument("a.xlf", unit(before + behind)).read();
  CHECK(document.segments().size() == 2);
  CHECK(in_capitals(document) ==
        unit(before + kTarget +
             "<mrk mtype=\"seg\" mid=\"1\">A.</mrk> <mrk mtype=\"seg\" mid=\"2\"><g id=\"1\">B</g>.</mrk></target>" +
             behind));
}

TEST_CASE("units of XLIFF that are final or not to be translated stay as they are") {
  const auto kept = [](const std::string& text) {
    const Document document = InputDocument("a.xlf", text).read();
    CHECK(in_capitals(document) == text);
    return document.num_kept;
  };
  CHECK(kept(unit("<source>a</source><target>b</target>", " approved=\"yes\"")) == 1);
  CHECK(kept(unit("<source>a</source><target state=\"final\">b</target>")) == 1);
  CHECK(kept(unit("<source>a</source>", " translate=\"no\"")) == 1);
  CHECK(kept(unit("<source>Language: de</source>", " restype=\"x-gettext-domain-header\"")) == 1);
  CHECK(kept(unit("<source> <x id=\"1\"/> </source>")) == 0);
}

TEST_CASE("XLIFF 2 gets targets, states and the target language") {
  const std::string file =
      R"(><file id="f"><unit id="1"><segment subState="x:y" state="initial"><source>one <pc id="1">two</pc></source></segment>
<ignorable><source> </source></ignorable><segment><source>a</source><target>b</target></segment>
<segment state="final"><source>a</source><target>b</target></segment></unit></file></xliff>)";
  const std::string root = "<xliff version=\"2.0\" srcLang=\"en\"";
  std::string expected = replaced(file, " subState=\"x:y\" state=\"initial\"", " state=\"translated\"");
  expected = replaced(expected, "</source></segment>", "</source><target>ONE <pc id=\"1\">TWO</pc></target></segment>");
  expected = replaced(expected, "<segment><source>a</source><target>b",
                      "<segment state=\"translated\"><source>a</source><target>A");
  const InputDocument document("a.xlf", root + file);
  CHECK(document.capitals("", "fr") == root + " trgLang=\"fr\"" + expected);
  CHECK_THAT(document.error(), Catch::StartsWith("'into': a.xlf has no trgLang"));
  const InputDocument with_language("a.xlf", root + " trgLang=\"fr\"" + file);
  CHECK(with_language.capitals() == root + " trgLang=\"fr\"" + expected);
  CHECK_THAT(with_language.error("", "de"), Catch::StartsWith("'into' de: a.xlf:1 names fr as its target language"));
  CHECK_THAT(with_language.error("#de"), Catch::StartsWith("a.xlf:1: its source language is 'en', not 'de'"));
}

TEST_CASE("TMX gets a variant of the language in each unit, or another text in the one that it has") {
  const std::string memory = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en"/><body>
 <tu>
  <tuv xml:lang="en-US"><seg>big <bpt i="1">&lt;b&gt;</bpt>red<ept i="1">x</ept>
   dog &amp; caf&#233;</seg></tuv>
  <tuv xml:lang="de"><prop>p</prop><seg>alt</seg></tuv></tu>
 <tu><tuv lang="EN_us"><seg>one</seg></tuv></tu>
 <tu><tuv xml:lang="de"><seg>zwei</seg></tuv></tu></body></tmx>)";
  std::string expected = replaced(memory, "<seg>alt</seg>",
                                  "<seg>BIG <bpt i=\"1\">&lt;b&gt;</bpt>RED<ept i=\"1\">x</ept> DOG &amp; CAFé</seg>");
  expected = replaced(expected, "one</seg></tuv>", "one</seg></tuv><tuv lang=\"de\"><seg>ONE</seg></tuv>");
  const InputDocument document("m.tmx", memory);
  CHECK(document.capitals("#en", "de") == expected);
  CHECK(document.capitals("", "de") == expected);
  CHECK(document.read("#en", "de").num_without == 1);
  CHECK_THAT(document.capitals("#en", "fr"), Catch::Contains("</tuv>\n  <tuv xml:lang=\"fr\"><seg>BIG"));
  CHECK_THAT(document.error("#en", "a\""), Catch::StartsWith("'into' a\": is not the code of a language"));
  CHECK(document.error("#en") == "'into': m.tmx has several languages; name that of the translations");
  CHECK(document.error("#fr", "de") ==
        "m.tmx:1: it has no text in 'fr', only en-US, de; name one of them, as in m.tmx#en-US");
  CHECK_THAT(document.error("#en", "en"), Catch::StartsWith("'into' en: m.tmx:7 has the text to translate"));
  CHECK_THAT(InputDocument("m.tmx", replaced(memory, "srclang=\"en\"", "srclang=\"*all*\"")).error("", "de"),
             Catch::StartsWith("m.tmx:7: it does not say which of its languages is the source (en-US, de)"));
  CHECK_THAT(InputDocument("m.tmx", memory.substr(0, 300)).error("#en", "de"),
             Catch::StartsWith("m.tmx:7: its XML is broken"));
}

TEST_CASE("a document of XML keeps its encoding") {
  const std::string latin1 =
      "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><tmx><tu><tuv lang=\"fr\"><seg>\xE9t\xE9 "
      "\xA4</seg></tuv></tu></tmx>";
  const InputDocument document("m.tmx", latin1);
  REQUIRE(document.read("#fr", "de").segments().size() == 1);
  CHECK(document.read("#fr", "de").segments()[0]->text == "été ¤");
  CHECK(with_translations(document.read("#fr", "de"), {"\u00FC\u20AC"}) ==
        replaced(latin1, "</tuv>", "</tuv><tuv lang=\"de\"><seg>\xFC&#8364;</seg></tuv>"));

  const auto wide = [](const std::string& text) {
    std::string bytes = "\xFF\xFE";
    for (const char c : text) bytes += {c, '\0'};
    return bytes;
  };
  const std::string before = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><tmx><tu><tuv lang=\"en\"><seg>a</seg></tuv>",
                    behind = "</tu></tmx>";
  CHECK(InputDocument("m.tmx", wide(before + behind)).capitals("#en", "de") ==
        wide(before + "<tuv lang=\"de\"><seg>A</seg></tuv>" + behind));
  CHECK_THAT(InputDocument("m.tmx", "<?xml version=\"1.0\" encoding=\"none\"?><tmx/>").error("#en", "de"),
             Catch::StartsWith("m.tmx: its encoding 'none' is not known"));
  CHECK_THAT(InputDocument("a.md", "\xE9").error(), Catch::StartsWith("a.md: it is not UTF-8"));
}

TEST_CASE("a field of JSON Lines is set or added, and all other bytes stay") {
  const InputDocument pairs("p.jsonl",
                            "{\"id\": 1.50, \"t\": {\"en\": \"a \\\"x\\\"\\nb\", \"de\": null}, \"k\": [\"}\"]}\r\n\n"
                            "{\"id\":2,\"t\":{\"en\":\"\\u00e9\"}}\n{ }\n");
  CHECK_THAT(pairs.error("#t.en", "t.de"), Catch::StartsWith("p.jsonl:4: has no field 't.en'"));
  const std::string lines =
      "{\"id\": 1.50, \"t\": {\"en\": \"a \\\"x\\\"\\nb\", \"de\": null}, \"k\": [\"}\"]}\r\n\n"
      "{\"id\":2,\"t\":{\"en\":\"\\u00e9\"}}\n{\"t\": {\"en\": null}}";
  const InputDocument good("p.jsonl", lines);
  CHECK(good.capitals("#t.en", "t.de") ==
        "{\"id\": 1.50, \"t\": {\"en\": \"a \\\"x\\\"\\nb\", \"de\": \"A \\\"X\\\" B\"}, \"k\": [\"}\"]}\r\n\n"
        "{\"id\":2,\"t\":{\"en\":\"\\u00e9\",\"de\":\"é\"}}\n{\"t\": {\"en\": null, \"de\": null}}");
  CHECK(good.capitals("#t.en", "x.y") ==
        "{\"id\": 1.50, \"t\": {\"en\": \"a \\\"x\\\"\\nb\", \"de\": null}, \"k\": [\"}\"], \"x\": {\"y\": \"A "
        "\\\"X\\\" B\"}}\r\n\n"
        "{\"id\":2,\"t\":{\"en\":\"\\u00e9\"},\"x\":{\"y\":\"é\"}}\n{\"t\": {\"en\": null}, \"x\": {\"y\": null}}");
  CHECK(good.error("#t.en") == "'into': p.jsonl is JSON Lines; name the field for the translations");
  CHECK_THAT(good.error("", "x"), Catch::StartsWith("p.jsonl: it is JSON Lines; name the field to translate"));
  CHECK_THAT(InputDocument("p.jsonl", "{\"a\": 1}\n").error("#a", "b"),
             Catch::StartsWith("p.jsonl:1: the field 'a' is not text"));
  CHECK_THAT(InputDocument("p.jsonl", "{\"a\": \"b\"}\n{\"a\"\n").error("#a", "b"),
             Catch::StartsWith("p.jsonl:2: not JSON"));
}

TEST_CASE("a field of JSON Lines that is no object gets no member") {
  const auto error = [](const std::string& record, const std::string& into) {
    return InputDocument("p.jsonl", "{\"t\": \"x\", \"a\": {}}\n" + record).error("#t", into);
  };
  CHECK(error("{\"t\": \"x\", \"a\": null}", "a.b") ==
        "p.jsonl:2: the field 'a' is not an object but null, so that it cannot have '.b'; name another field for the "
        "translations, or make it an object");
  CHECK_THAT(error("{\"t\": \"x\", \"a\": \"y\"}", "a.b"), Catch::Contains("'a' is not an object but string"));
  CHECK_THAT(error("{\"t\": \"x\", \"a\": 1}", "a.b.c"),
             Catch::Contains("'a' is not an object but number") && Catch::Contains("cannot have '.b.c'"));
  CHECK_THAT(error("{\"t\": \"x\", \"a\": {\"b\": [1]}}", "a.b.c"),
             Catch::Contains("'a.b' is not an object but array") && Catch::Contains("cannot have '.c'"));
  CHECK(InputDocument("p.jsonl", "{\"t\":\"x\",\"a\":1,\"a.b\":{}}").capitals("#t", "a.b.c") ==
        "{\"t\":\"x\",\"a\":1,\"a.b\":{\"c\":\"X\"}}");
}

TEST_CASE("a column is set or added") {
  const InputDocument table("t.tsv", "a\tb\tx y\r\n\nc d\te\tf");
  CHECK(table.capitals("#1", "2") == "a\tA\tx y\r\n\nc d\tC D\tf");
  CHECK(table.capitals("#3", "4") == "a\tb\tx y\tX Y\r\n\nc d\te\tf\tF");
  CHECK_THAT(table.error("#1", "5"), Catch::StartsWith("t.tsv:1: has only 3 columns"));
  CHECK_THAT(table.error("#4", "1"), Catch::StartsWith("t.tsv:1: has only 3 columns"));
  CHECK_THAT(table.error("#1", "1"), Catch::StartsWith("'into': t.tsv has columns; give the number of another one"));
  CHECK_THAT(table.error("", "2"), Catch::StartsWith("t.tsv: has columns; name the one to translate"));
  const Document document = table.read("#1", "2");
  CHECK(document.escape("a\tb") == "a b");
}

TEST_CASE("a test set of WMT becomes one of translations") {
  const InputDocument sgml(
      "s.sgm",
      "<srcset setid=\"n\" srclang=\"any\">\n<DOC docid=\"1\"><p>\n<seg id=\"1\"> a &amp; b</seg>\n<SEG "
      "id=\"2\">\nx < y &lt;</SEG></p></doc>\n</srcset>\n");
  CHECK(sgml.capitals("", "de") ==
        "<tstset setid=\"n\" srclang=\"any\" trglang=\"de\">\n<DOC docid=\"1\" sysid=\"transformer\"><p>\n<seg "
        "id=\"1\"> A "
        "&amp; B</seg>\n<SEG id=\"2\">\nX &lt; Y &lt;</SEG></p></doc>\n</tstset>\n");
  CHECK(sgml.error() == "'into': s.sgm is a test set; name the language of the translations");
  const std::string
      before = R"(<?xml version='1.0' encoding='utf-8'?>
<dataset id="t"><doc id="d1">
 <src lang="en"><p><seg id="1">one</seg><seg id="2">two</seg></p></src>
 <ref lang="de" translator="A"><p><seg id="1">eins</seg></p></ref>)",
      behind = "</doc></dataset>",
      hypotheses =
          "\n <hyp system=\"transformer\" lang=\"de\"><p><seg id=\"1\">ONE</seg><seg id=\"2\">TWO</seg></p></hyp>";
  CHECK(InputDocument("w.xml", before + behind).capitals("", "de") == before + hypotheses + behind);
  CHECK(InputDocument("w.xml", before + hypotheses + behind).capitals("#src", "de") == before + hypotheses + behind);
}

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

TEST_CASE("HTML's sentences are translated between the tags of its blocks") {
  const InputDocument document("a.html", R"(<!DOCTYPE html>
<html lang="en"><head><title>a title</title><style>a{}</style></head>
<body><p>one <b>big</b> dog &amp; caf&eacute; <!-- c -->.</p><script>var a = "<p>";</script>
<ul><li>two<li>see <a href="x>y">the link</a> <img src="a"/> end
</ul><pre>no
 change</pre><p translate="no">keep</p><p> <code>x</code> </p></body></html>)");
  CHECK(document.capitals() == R"(<!DOCTYPE html>
<html lang="en"><head><title>A TITLE</title><style>a{}</style></head>
<body><p>ONE <b>BIG</b> DOG &amp; CAFé <!-- c -->.</p><script>var a = "<p>";</script>
<ul><li>TWO<li>SEE <a href="x>y">THE LINK</a> <img src="a"/> END
</ul><pre>no
 change</pre><p translate="no">keep</p><p> <code>x</code> </p></body></html>)");
  CHECK(document.read().language == "en");
  const std::string xhtml = "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"x\"><html><body><p>";
  CHECK(InputDocument("a", xhtml + "one<br/>two</p></body></html>").capitals() ==
        xhtml + "ONE<br/>TWO</p></body></html>");
  CHECK(document.error("", "de") ==
        "'into' de: a.html has no parts to name, its text is replaced; leave the option out");
}

TEST_CASE("an HTML element that is not translated ends without its end tag where its parent or a sibling ends it") {
  const auto capitals = [](const std::string& text) { return InputDocument("a.html", text).capitals(); };
  CHECK(capitals("<html><p translate=\"no\">The old letter<p>It is five.</html>") ==
        "<html><p translate=\"no\">The old letter<p>IT IS FIVE.</html>");
  CHECK(capitals("<ul><li translate=no>a<ul><li>b<li>c</ul>d<li>e</ul>f") ==
        "<ul><li translate=no>a<ul><li>b<li>c</ul>d<li>E</ul>F");
  CHECK(capitals("<ol><li><p translate=no>a <b>b<li>c<li translate=no><p>d</ol>e") ==
        "<ol><li><p translate=no>a <b>b<li>C<li translate=no><p>d</ol>E");
  CHECK(capitals("<dl><dt translate=no>a<dd>b<dd translate=no>c<dt>d</dl>") ==
        "<dl><dt translate=no>a<dd>B<dd translate=no>c<dt>D</dl>");
  CHECK(capitals("<table><tr><td translate=no><p>a<table><tr><td>b</table>c<th>d<th translate=no>e<tr><td>f"
                 "<tr translate=no><td>g<td>h<tbody><tr><td translate=no>i</table>j") ==
        "<table><tr><td translate=no><p>a<table><tr><td>b</table>c<th>D<th translate=no>e<tr><td>F"
        "<tr translate=no><td>g<td>h<tbody><tr><td translate=no>i</table>J");
  CHECK(capitals("<select><option translate=no>a<option>b<optgroup><option translate=no>c</select>d") ==
        "<select><option translate=no>a<option>B<optgroup><option translate=no>c</select>D");
  CHECK(capitals("<div><p translate=no>a<br>b<hr>c</div><div><p translate=no>a</div>b") ==
        "<div><p translate=no>a<br>b<hr>C</div><div><p translate=no>a</div>B");
  // These end tags belong to none of the elements around.
  const std::string cell =
      "<table><td translate=no><p>a<ul><li>b</ul></p>c</b><input></input><script>'</table>'</script><!--</td>-->d</td>";
  CHECK(capitals(cell + "e") == cell + "E");
}

TEST_CASE("what consists of blanks and invisible characters is no text, and stays byte for byte") {
  for (const std::string blank : {"&nbsp;", "&#160;", "\u00A0", "&#xFEFF;", "\uFEFF", "&#8203;", "\u200B", "\u2003",
                                  "\u3000", "\u2060", " &nbsp;\n<b>&#160;</b>"}) {
    INFO(blank);
    const std::string html = "<html><td>" + blank + "</td></html>";
    const Document document = InputDocument("a.html", html).read();
    CHECK(document.segments().empty());
    CHECK(in_capitals(document) == html);
  }
  const std::string markdown = "&nbsp;\n\n\u200B\n\n| &#160; | \u00A0 |\n|---|---|\n| `a` | &#8203; |\n";
  CHECK(InputDocument("a.md", markdown).read().segments().empty());
  CHECK(InputDocument("a.md", markdown).capitals() == markdown);
  CHECK(InputDocument("a.txt", "\u00A0 \n\na").capitals() == "\u00A0 \n\nA");
  const std::string xliff = unit("<source>&#160;<g id=\"1\">&#x200B;</g></source>");
  CHECK(InputDocument("a.xlf", xliff).capitals() == xliff);
  const std::string memory = "<tmx><tu><tuv lang=\"en\"><seg>&#160;</seg></tuv></tu></tmx>";
  CHECK(InputDocument("m.tmx", memory).capitals("#en", "de") == memory);
  CHECK(InputDocument("s.sgm", "<tstset><doc><seg id=\"1\">&#160;</seg></doc></tstset>").capitals("", "de") ==
        "<tstset trglang=\"de\"><doc sysid=\"transformer\"><seg id=\"1\">&#160;</seg></doc></tstset>");
  CHECK(InputDocument("p.jsonl", "{\"a\":\"\u00A0\"}").capitals("#a", "b") == "{\"a\":\"\u00A0\",\"b\":\"\u00A0\"}");
  for (const std::string text : {"<!DOCTYPE html><p>a", "a<p>b", "<b>a</b>"}) {
    const Document document = InputDocument("a.html", "\uFEFF" + text).read();
    REQUIRE_FALSE(document.segments().empty());
    CHECK(document.segments()[0]->text == "a");
    CHECK(in_capitals(document) == "\uFEFF" + InputDocument("a.html", text).capitals());
  }
}

TEST_CASE("the blanks between neighbouring tags stay") {
  CHECK(InputDocument("a.md", "The `x` `y` costs `a`  `b` `c`\n`d` two.").read().segments()[0]->text ==
        "The costs two.");
  CHECK(InputDocument("a.md", "The `x` `y` costs `a`  `b` `c`\n`d` two.").capitals() ==
        "THE `x` `y` COSTS `a`  `b` `c` `d` TWO.");
  CHECK(InputDocument("a.html", "<html><p>one <img> <b>two</b> <i>three</i>\n<img>\n four<img> <img>").capitals() ==
        "<html><p>ONE <img> <b>TWO</b> <i>THREE</i> <img> FOUR<img> <img>");
  CHECK(InputDocument("a.xlf", unit("<source>a <x id=\"1\"/> <x id=\"2\"/> b</source>")).capitals() ==
        unit("<source>a <x id=\"1\"/> <x id=\"2\"/> b</source>" + std::string(kTarget) +
             "A <x id=\"1\"/> <x id=\"2\"/> B</target>"));
}

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
}

TEST_CASE("other text is translated by paragraphs") {
  CHECK(InputDocument("a.txt", "one\ntwo.\n\n  three\n\n\nfour").capitals() == "ONE TWO.\n\n  THREE\n\n\nFOUR");
  CHECK(InputDocument("a.txt", "").capitals().empty());
}

TEST_CASE("markup moves with its words") {
  const Segment segment{"press the red button now.", 1, {{10, "<b>"}, {13, "</b>"}, {24, "<x/>"}}};
  const auto with = [&](const std::string& translation) {
    return with_markup(segment, translation, {{0, 0}, {segment.text.size(), translation.size()}},
                       [](std::string_view text) { return std::string(text); });
  };
  CHECK(with("drücke den roten Knopf jetzt!") == "drücke den <b>roten</b> Knopf jetzt<x/>!");
  CHECK(with("eins") == "<b>eins</b><x/>");
  CHECK(with("zwei Wörter") == "zwei <b>Wörter</b><x/>");
  CHECK(with("") == "<b></b><x/>");
  CHECK(with("今すぐ赤いボタンを押してください。").find("<b>") <
        with("今すぐ赤いボタンを押してください。").find("</b>") - 3);
  // The link in the second of two sentences stays in the second one.
  const Segment two{"a. b c", 1, {{5, "<b>"}}};
  CHECK(with_markup(two, "long long long long. x y", {{0, 0}, {3, 21}, {6, 24}},
                    [](std::string_view text) { return std::string(text); }) == "long long long long. x <b>y");
}

}  // namespace transformer
