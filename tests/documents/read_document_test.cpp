#include "documents/read_document.h"

#include <string>
#include <vector>

#include "base/error.h"
#include "base/parameter_error.h"
#include "catch.h"
#include "documents/input_document.h"

namespace transformer {
namespace {

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

TEST_CASE("what is between the parts of a segmented source of XLIFF stays") {
  const std::string parts =
      " a &amp;<x id=\"1\"/><g id=\"2\"><mrk mtype=\"seg\" mid=\"1\">b</mrk> \u2022 c<mrk mtype=\"seg\" mid=\"2\"/>"
      "<mrk mtype=\"seg\" mid=\"3\">d</mrk></g><![CDATA[e]]>";
  const std::string source = "<source>b</source><seg-source>" + parts + "</seg-source>";
  const InputDocument document("a.xlf", unit(source));
  CHECK(document.read().segments().size() == 2);
  CHECK(document.capitals() ==
        unit(source + kTarget + replaced(replaced(parts, ">b<", ">B<"), ">d<", ">D<") + "</target>"));
}

TEST_CASE("units of XLIFF that a translator has locked stay as they are") {
  const auto kept = [](const std::string& text) { return InputDocument("a.xlf", text).read().num_kept; };
  const std::string content = "<source>a</source><target>b</target>";
  CHECK(kept(unit(content, " mq:locked=\"locked\"")) == 1);
  CHECK(kept(unit(content, " m:locked=\"true\"")) == 1);
  CHECK(kept(unit(content, " m:locked=\"false\"")) == 0);
  const std::string locked = "<sdl:seg id=\"1\" locked=\"true\"/>", open = "<sdl:seg id=\"2\" conf=\"Draft\"/>";
  const auto parts = [&](const std::string& definitions) {
    return unit(content + "<sdl:seg-defs>" + definitions + "</sdl:seg-defs>");
  };
  CHECK(kept(parts(locked + locked)) == 1);
  CHECK(kept(parts(locked + open)) == 0);
  CHECK(kept(parts(open)) == 0);
  const std::string both = "<xliff version=\"1.2\"><file>" + parts(locked) + unit(content) + "</file></xliff>";
  CHECK(InputDocument("a.xlf", both).capitals() ==
        replaced(both, unit(content), replaced(unit(content), "<target>b", std::string(kTarget) + "A")));
}

TEST_CASE("markup is recognized behind comments and instructions, and with a prefix") {
  const std::string content = "<ns0:trans-unit><ns0:source>a</ns0:source></ns0:trans-unit></ns0:file></ns0:xliff>";
  const std::string long_comment = "<!-- <html> " + std::string(10000, 'x') + " -->\n";
  for (const std::string before :
       {"", "<!-- a -->\n", "<?a b?>", "\uFEFF <!-- a --><?b?>", "<?xml version=\"1.0\"?>"}) {
    for (const std::string& comment : {std::string(), long_comment}) {
      const std::string text = before + comment + "<ns0:xliff version=\"1.2\"><ns0:file>" + content;
      INFO(text);
      CHECK(InputDocument("a", text).capitals() ==
            replaced(text, "</ns0:source>",
                     "</ns0:source><ns0:target state=\"needs-review-translation\" "
                     "state-qualifier=\"mt-suggestion\">A</ns0:target>"));
      CHECK(InputDocument("a", before + comment + "<html><p translate=no>a<p>b").capitals() ==
            before + comment + "<html><p translate=no>a<p>B");
    }
  }
  CHECK(InputDocument("a", "<!-- a -->\n<tstset><seg>b</seg></tstset>").capitals("", "de") ==
        "<!-- a -->\n<tstset trglang=\"de\"><seg>B</seg></tstset>");
  CHECK(InputDocument("a", "<!-- a -->\n\nb").capitals() == "<!-- A -->\n\nB");
}

TEST_CASE("files of formats that are not read are refused by their names") {
  const auto error = [](const std::string& name) { return InputDocument(name, "msgid \"a\"\nb, c\n").error(); };
  CHECK(error("a.po") ==
        "a.po: such files are not translated as documents; convert it to XLIFF, with po2xliff of translate-toolkit");
  for (const std::string name : {"a.pot", "a.properties", "a.ini", "a.yaml", "a.YML", "a.json", "a.csv", "a.ass",
                                 "a.ssa", "a.sbv", "a.lrc", "a.sub", "a.tex", "a.rst"}) {
    CHECK_THAT(error(name), Catch::StartsWith(name + ": such files are not translated as documents; "));
  }
  const std::string subtitles = ": it is subtitles in another format than SubRip's; convert them to that, as with ";
  CHECK_THAT(InputDocument("a.txt", "0:00:01.000,0:00:02.500\nOne.\n").error(), Catch::StartsWith("a.txt" + subtitles));
  CHECK_THAT(InputDocument("a.sub", "{10}{40}One.\n").error(),
             Catch::StartsWith("a.sub: it is subtitles of MicroDVD; "));
  CHECK_THAT(error("a.strings"),
             Catch::StartsWith("a.strings: it is a file of texts of Apple's programs; export them as XLIFF"));
  CHECK_THAT(error("a.FTL.gz"),
             Catch::StartsWith("a.FTL.gz: it is a file of messages of Fluent; write them into JSON Lines"));
  CHECK_THAT(
      InputDocument("a.ttml", "<tt xmlns=\"http://www.w3.org/ns/ttml\"><body><p>One.</p>\n</body></tt>\n").error(),
      Catch::StartsWith("a.ttml: it is subtitles in TTML; convert them to SubRip's format, as with `pysubs2 "));
  CHECK(error("a.txt").empty());
  CHECK(InputDocument("a.json", "{\"a\": \"b\"}\n").capitals("#a", "c") == "{\"a\": \"b\", \"c\": \"B\"}\n");
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
  // An approved unit without a target has nothing to keep, and nobody has approved the translation.
  CHECK(InputDocument("a.xlf", unit("<source>a</source>", " id=\"1\" approved=\"yes\"")).capitals() ==
        unit(std::string("<source>a</source>") + kTarget + "A</target>", " id=\"1\""));
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
  CHECK(document.capitals("#en+tags", "de") == expected);
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

TEST_CASE("a unit in a unit and a text in a text make no document") {
  const auto tuv = [](const std::string& language, const std::string& text) {
    return "<tuv xml:lang=\"" + language + "\"><seg>" + text + "</seg></tuv>";
  };
  CHECK(InputDocument("m.tmx", "<tmx><tu>" + tuv("en", "a") + "\n<tu>" + tuv("en", "b") + tuv("de", "c") + "</tu>" +
                                   tuv("de", "d") + "</tu></tmx>")
            .error("#en", "de") ==
        "m.tmx:2: has a unit in a unit, <tu> in the <tu> of line 1, so that it is not known which texts are pairs; "
        "export the pairs anew, those of OPUS's corpora as Moses text (`opus_read -wm moses`)");
  CHECK_THAT(InputDocument("m.tmx", "<tmx><tu>" + tuv("en", "a<seg>b</seg>") + "</tu></tmx>").error("#en", "de"),
             Catch::StartsWith("m.tmx:1: has <seg> in the <seg> of line 1, so that it is not known which text "));
  CHECK_THAT(InputDocument("a.xlf", unit("<source>a</source><trans-unit><source>b</source></trans-unit>")).error(),
             Catch::StartsWith("a.xlf:1: has <trans-unit> in the <trans-unit> of line 1, "));
  CHECK_THAT(InputDocument("a.xlf", unit("<source>a<target>b</target></source>")).error(),
             Catch::StartsWith("a.xlf:1: has <target> in the <source> of line 1, "));
  CHECK(InputDocument("s.sgm", "<srcset>\n<seg>a\n<seg>b</seg></seg></srcset>").error("", "de") ==
        "s.sgm:2: has a segment without an end; add </seg>, or download the file again");
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
        "{\"id\": 1.50, \"t\": {\"en\": \"a \\\"x\\\"\\nb\", \"de\": \"A \\\"X\\\"\\nB\"}, \"k\": [\"}\"]}\r\n\n"
        "{\"id\":2,\"t\":{\"en\":\"\\u00e9\",\"de\":\"é\"}}\n{\"t\": {\"en\": null, \"de\": null}}");
  CHECK(good.capitals("#t.en", "x.y") ==
        "{\"id\": 1.50, \"t\": {\"en\": \"a \\\"x\\\"\\nb\", \"de\": null}, \"k\": [\"}\"], \"x\": {\"y\": \"A "
        "\\\"X\\\"\\nB\"}}\r\n\n"
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
  const InputDocument marked("t.tsv", "\uFEFFa\tb");
  CHECK(marked.read("#1", "2").segments()[0]->text == "a");
  CHECK(marked.capitals("#1", "3") == "\uFEFFa\tb\tA");
  CHECK(marked.capitals("#2", "1") == "\uFEFFB\tb");
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
  // The translations into another language stay.
  const std::string others = replaced(hypotheses, "de", "fr");
  CHECK(InputDocument("w.xml", before + others + behind).capitals("", "de") == before + others + hypotheses + behind);
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

TEST_CASE("line breaks in a field of JSON Lines and in a segment of TMX or XLIFF divide it and stay") {
  const std::string text = "# It is five o'clock.\n\n- two hundred and nine\n  * nine hundred\nthat is all",
                    capitals = "# IT IS FIVE O'CLOCK.\n\n- TWO HUNDRED AND NINE\n  * NINE HUNDRED\nTHAT IS ALL";
  const std::string before = "<tmx><header srclang=\"en\"/><tu><tuv lang=\"en\"><seg>",
                    into = "</seg></tuv><tuv lang=\"de\"><seg>", after = "</seg></tuv></tu></tmx>";
  const auto tmx = [&](const std::string& source) {
    return InputDocument("m.tmx", before + source + after).capitals("", "de");
  };
  CHECK(tmx(text) == before + text + into + capitals + after);
  CHECK(tmx("# one <ph type='lb'/># two") ==
        before + "# one <ph type='lb'/># two" + into + "# ONE <ph type='lb'/># TWO" + after);
  // Programs wrap and indent XML.
  CHECK(tmx("\n  one\n  two") == before + "\n  one\n  two" + into + "\n  ONE TWO" + after);
  // One line is a sentence with its mark.
  const Document dialogue = InputDocument("m.tmx", before + "- one" + after).read("", "de");
  CHECK(dialogue.segments()[0]->text == "- one");

  const std::string record = "{\"a\": \"# one\\n\\n- two. three\\n- four\\tfive\\nsix\\n\"";
  const Document json = InputDocument("p.jsonl", record + "}").read("#a", "b");
  REQUIRE(json.segments().size() == 4);
  CHECK(json.segments()[1]->text == "two. three");
  CHECK(in_capitals(json) == record + ", \"b\": \"# ONE\\n\\n- TWO. THREE\\n- FOUR\\tFIVE\\nSIX\\n\"}");

  const std::string unit = "<xliff version=\"1.2\"><file source-language=\"en\" target-language=\"de\"><trans-unit>";
  const auto xliff = [&](const std::string& source) {
    const std::string out = InputDocument("a.xlf", unit + source + "</trans-unit></file></xliff>").capitals();
    const size_t target = out.find('>', out.find("<target")) + 1;
    return out.substr(target, out.find("</target>") - target);
  };
  CHECK(xliff("<source>one\ntwo\n three\n\n four</source>") == "ONE\nTWO THREE\n\n FOUR");
  CHECK(xliff("<source xml:space='preserve'>one\n two</source>") == "ONE\n TWO");
  CHECK(xliff("<source><g id='1'>one<x id='2' ctype='lb'/>- two</g></source>") ==
        "<g id='1'>ONE<x id='2' ctype='lb'/>- TWO</g>");
}

TEST_CASE("headings and items of lists in plain text are segments, and their marks stay") {
  const auto capitals = [](const std::string& text) { return InputDocument("a.txt", text).capitals(); };
  CHECK(capitals("# one\ntwo\nthree\n- four\n  five\n  * six\n+\tseven\n\n## eight") ==
        "# ONE\nTWO THREE\n- FOUR FIVE\n  * SIX\n+\tSEVEN\n\n## EIGHT");
  CHECK(capitals("one\n1. two\n2. three\nfour") == "ONE\n1. TWO\n2. THREE FOUR");
  CHECK(capitals("on the\n3. of May\n-4 or #5") == "ON THE 3. OF MAY -4 OR #5");
  CHECK(capitals("-\n\n#\n") == "-\n\n#\n");
  CHECK(InputDocument("a.txt", "one\n\n\ntwo").read().segments()[1]->line == 4);
}

}  // namespace transformer
