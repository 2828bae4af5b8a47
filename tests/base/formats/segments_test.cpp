#include "base/formats/segments.h"

#include <array>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/line_reader.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "error_of.h"
#include "golden/base/test_sets.h"

namespace transformer {
namespace {

using Lines = std::vector<std::string>;

/// A file with this text, read by its name and what follows it.
class TextFile {
 public:
  TextFile(const std::string& name, const std::string& text) : path_(directory_ / name) {
    write_file_atomically(path_, text);
  }
  Lines lines(const std::string& part = "") const { return read_lines(path_ + part); }
  /// The error without the directory.
  std::string error(const std::string& part = "") const {
    return error_of(directory_, [&] { lines(part); });
  }

 private:
  TemporaryDirectory directory_;
  std::string path_;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

const std::string kMemory = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en"><note>a note</note></header>
<body>
 <tu><prop type="x">p</prop><tuv xml:lang="en-US"><seg>Hello <bpt i="1">&lt;b&gt;</bpt>big<ept i="1">&lt;/b&gt;</ept>
   world &amp; all &#233;</seg></tuv>
   <tuv xml:lang="de"><seg>Hallo <hi>Welt</hi></seg></tuv></tu>
 <tu><tuv lang="EN_us"><seg>only English</seg></tuv></tu>
 <tu><tuv xml:lang="de"><seg>zwei</seg></tuv><tuv xml:lang="en-GB"><seg> two<ph><sub>x</sub></ph>  parts </seg></tuv></tu>
</body></tmx>
)";

}  // namespace

TEST_CASE("a language of a TMX file is read, a line for each unit") {
  const TextFile memory("memory.tmx", kMemory);
  CHECK(memory.lines("#en") == Lines{"Hello big world & all é", "only English", "two  parts"});
  CHECK(memory.lines("#de") == Lines{"Hallo Welt", "", "zwei"});
  CHECK(memory.lines("#en-us") == Lines{"Hello big world & all é", "only English", ""});
  CHECK(memory.error("#fr") ==
        "memory.tmx:1: it has no text in 'fr', only en-US, de, en-GB; name one of them, as in memory.tmx#en-US");
  CHECK(memory.error() ==
        "memory.tmx:7: it has text in several languages (en-US, de); name the one to read, as in memory.tmx#en-US");
  const TextFile one("one.tmx", R"(<tmx><body><tu><tuv xml:lang="en"><seg>a</seg></tuv></tu></body></tmx>)");
  CHECK(one.lines() == Lines{"a"});
}

TEST_CASE("a placeholder that is removed leaves a blank between two words, and other codes do not") {
  const auto read = [](const std::string& text, const std::string& part = "") {
    return TextFile("m.tmx", "<tmx><body><tu><tuv xml:lang=\"en\"><seg>" + text + "</seg></tuv></tu></body></tmx>")
        .lines(part);
  };
  CHECK(read("here<ph>{0}</ph>now") == Lines{"here now"});
  CHECK(read("Ä<x id=\"1\"/><it>c</it>1<ut/> é<ph/>") == Lines{"Ä 1 é"});
  CHECK(read("w<bpt i=\"1\">&lt;b&gt;</bpt>or<ept i=\"1\">&lt;/b&gt;</ept>d<ph/>. 日<ph/>本") == Lines{"word. 日本"});
}

TEST_CASE("the inline tags of a TMX or XLIFF file can be kept") {
  const TextFile memory("memory.tmx", kMemory);
  CHECK(memory.lines("#en+tags") == Lines{"Hello <b>big</b> world & all é", "only English", "twox  parts"});
  CHECK(memory.lines("#de+tags") == Lines{"Hallo <hi>Welt</hi>", "", "zwei"});
  CHECK_THAT(memory.error("#fr+tags"), Catch::StartsWith("memory.tmx:1: it has no text in 'fr', only en-US"));
  const TextFile xliff(
      "a.xlf",
      "<xliff version=\"1.2\"><file source-language=\"en\"><body><trans-unit id=\"1\"><source>Hi <g "
      "id=\"1\">the<mrk>r</mrk>e</g><x id=\"2\"/><ph id=\"3\">{0}</ph> &lt;</source></trans-unit></body>"
      "</file></xliff>");
  CHECK(xliff.lines("#source+tags") == Lines{"Hi <g id=\"1\">there</g><x id=\"2\"/>{0} <"});
  CHECK(xliff.lines("#+tags") == xliff.lines("#source+tags"));
  CHECK(xliff.lines() == Lines{"Hi there <"});
}

TEST_CASE("a TMX file may be in UTF-16") {
  std::string wide = "\xFF\xFE";
  for (const char c : std::string(
           R"(<?xml version="1.0" encoding="UTF-16"?><tmx><tu><tuv lang="de"><seg>ja</seg></tuv></tu></tmx>)")) {
    wide += {c, '\0'};
  }
  CHECK(TextFile("wide.tmx", wide).lines("#de") == Lines{"ja"});
}

TEST_CASE("a TMX file may be in any encoding with a byte for each character") {
  const auto memory = [](const std::string& encoding, const std::string& text) {
    return TextFile("m.tmx", "<?xml version=\"1.0\" encoding=\"" + encoding + "\"?><tmx><tu><tuv lang=\"fr\"><seg>" +
                                 text + "</seg></tuv></tu></tmx>");
  };
  CHECK(memory("windows-1252", "\x80 \xE9").lines() == Lines{"€ é"});
  CHECK(memory("ISO-8859-15", "\xA4 \xE9").lines() == Lines{"€ é"});
  CHECK(memory("koi8-r", "\xE1").lines() == Lines{"А"});
  for (const char* encoding : {"Shift_JIS", "none"}) {
    CHECK(memory(encoding, "a").error() ==
          "m.tmx:1: its encoding is not read; convert the file to UTF-8, and let it declare that");
  }
  CHECK_THAT(memory("windows-1253", "\xD2").error(), Catch::StartsWith("m.tmx:1: its XML is broken: not well-formed"));
}

TEST_CASE("XML is recognized behind comments and instructions, and with a prefix") {
  for (const std::string before : {"", "<!-- a\n-->\n", "<?a?> <!-- b -->"}) {
    CHECK(TextFile("a", before + "<n:tmx><n:tu><n:tuv lang=\"en\"><n:seg>a</n:seg></n:tuv></n:tu></n:tmx>").lines() ==
          Lines{"a"});
    CHECK_THAT(TextFile("a", before + "<HTML>").error(), Catch::StartsWith("a:1: cannot be read: it is HTML; "));
  }
  CHECK(TextFile("a", "<!-- a -->\nb\n").lines() == Lines{"<!-- a -->", "b"});
  CHECK(TextFile("a", "<!-- a\n").lines() == Lines{"<!-- a"});
  CHECK_THAT(TextFile("a", "00:00:01,000 --> 00:00:02,000\na\n").error(), Catch::Contains("it is subtitles; "));
}

TEST_CASE("XML that is broken or expands entities is refused with its line") {
  const auto error_of = [](const std::string& text) { return TextFile("m.tmx", text).error("#en"); };
  CHECK(error_of(kMemory.substr(0, kMemory.find("</body>"))) ==
        "m.tmx:10: its XML is broken: no element found; repair the file, or make it again");
  CHECK(error_of("<tmx>\n<tu></tuv></tu></tmx>") ==
        "m.tmx:2: its XML is broken: mismatched tag; repair the file, or make it again");
  const auto with_entity = [](const std::string& declaration) {
    return "<!DOCTYPE tmx [\n" + declaration + R"(]><tmx><tu><tuv lang="en"><seg>&e;</seg></tuv></tu></tmx>)";
  };
  const std::string refused = "m.tmx:2: the entity 'e' that it declares is not a single character";
  CHECK_THAT(error_of(with_entity(R"(<!ENTITY e "many characters">)")), Catch::StartsWith(refused));
  CHECK_THAT(error_of(with_entity(R"(<!ENTITY e "&#38;">)")), Catch::StartsWith(refused));
  CHECK_THAT(error_of(with_entity(R"(<!ENTITY e SYSTEM "file:///etc/hostname">)")), Catch::StartsWith(refused));
  CHECK_THAT(error_of(with_entity(R"(<!ENTITY % e "x">)")), Catch::StartsWith(refused));
  CHECK(TextFile("m.tmx", with_entity(R"(<!ENTITY e "é">)")).lines("#en") == Lines{"é"});
  CHECK(error_of("<!DOCTYPE tmx SYSTEM \"x.dtd\">\n<tmx><tu><tuv lang=\"en\"><seg>&eacute;</seg></tuv></tu></tmx>") ==
        "m.tmx:2: the entity &eacute; is not defined in this file; write the character instead");
  CHECK_THAT(error_of("<tmx>\n<tu><tuv lang=\"en\"><seg>" + std::string(kMaxSegmentBytes + 1, 'x')),
             Catch::StartsWith("m.tmx:2: has a segment of more than 1,048,576 bytes"));
  CHECK_THAT(error_of("<?xml version=\"1.0\"?>\n<office/>"), Catch::StartsWith("m.tmx:2: it is XML; write"));
}

TEST_CASE("a side or a language of XLIFF is read, without alternatives and codes") {
  const TextFile one("a.xlf", R"(<?xml version="1.0"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en-US" target-language="de"><body>
<trans-unit id="1"><source>Hi <g id="1">there</g> <x id="2"/>you<ph id="3">code</ph></source><target>Hallo</target>
<alt-trans><source>no</source><target>nein</target></alt-trans></trans-unit>
<trans-unit id="2"><source>two</source></trans-unit></body></file></xliff>)");
  CHECK(one.lines("#en") == Lines{"Hi there you", "two"});
  CHECK(one.lines("#source") == Lines{"Hi there you", "two"});
  CHECK(one.lines("#de") == Lines{"Hallo", ""});
  CHECK_THAT(one.error(), Catch::StartsWith("a.xlf:4: it has text in several languages"));
  const TextFile two("b.xliff",
                     R"(<xliff version="2.0" srcLang="en" trgLang="fr"><file id="f"><unit id="1"><notes><note>n</note>
</notes><segment><source>One <pc id="1">a</pc></source><target>Un</target></segment><ignorable><source> </source></ignorable>
<segment><source>Two</source><target>Deux</target></segment></unit></file></xliff>)");
  CHECK(two.lines("#en") == Lines{"One a", "Two"});
  CHECK(two.lines("#fr") == Lines{"Un", "Deux"});
}

TEST_CASE("a unit in a unit, a text in a text and a text without a unit are refused with their lines") {
  const auto tmx = [](const std::string& units) {
    return TextFile("m.tmx", "<tmx><body>\n" + units + "</body></tmx>").error("#en");
  };
  const std::string en = "<tuv xml:lang=\"en\"><seg>a</seg></tuv>", de = "<tuv xml:lang=\"de\"><seg>b</seg></tuv>";
  const std::string nested = " has a unit in a unit, <tu> in the <tu> of line 2, so that it is not known which texts ";
  CHECK(tmx("<tu>" + en + "\n<tu>" + en + de + "</tu>" + de + "</tu>") ==
        "m.tmx:3:" + nested +
            "are pairs; export the pairs anew, those of OPUS's corpora as Moses text (`opus_read -wm moses`)");
  // What opus_read writes for a link of two sentences with one, and no element ends.
  CHECK_THAT(tmx("<tu>" + en + "<tu>" + en + de + "</tu>"), Catch::StartsWith("m.tmx:2:" + nested));
  const std::string unknown = ", so that it is not known which text belongs to which; export the file anew, ";
  for (const auto& [inner, outer, units] : std::vector<std::array<std::string, 3>>{
           {"tuv", "tuv", "<tu><tuv xml:lang=\"en\">" + de + "<seg>a</seg></tuv></tu>"},
           {"tuv", "seg", "<tu><tuv xml:lang=\"en\"><seg>a" + de + "</seg></tuv></tu>"},
           {"seg", "seg", "<tu><tuv xml:lang=\"en\"><seg>a<seg>b</seg></seg></tuv></tu>"}}) {
    CHECK_THAT(tmx(units),
               Catch::StartsWith("m.tmx:2: has <" + inner + "> in the <" + outer + "> of line 2" + unknown));
  }
  CHECK(tmx("<tu>" + en + "</tu>\n" + de) ==
        "m.tmx:3: has <tuv> outside of <tu>, so that it is not known which texts are pairs; export the pairs anew, "
        "those of OPUS's corpora as Moses text (`opus_read -wm moses`)");
  CHECK_THAT(tmx("<tu>" + en + "<seg>b</seg></tu>"),
             Catch::StartsWith("m.tmx:2: has <seg> outside of <tuv>, so that "));
  CHECK(tmx("<tu><tuv xml:lang=\"en\"><seg>a</seg><seg>b</seg></tuv></tu>") ==
        "m.tmx:2: has a second <seg> in the <tuv> of line 2; join the two, or give each a unit");
  const std::string sub = "<tu><tuv xml:lang=\"en\"><prop type=\"x\">p</prop><seg>a<ph><sub>b</sub></ph></seg></tuv>";
  CHECK(tmx(sub + de + "</tu><tu>" + en + "</tu>").empty());

  const auto xliff = [](const std::string& version, const std::string& units) {
    return TextFile("a.xlf",
                    "<xliff version=\"" + version + "\"><file source-language=\"en\">" + units + "</file></xliff>")
        .error("#source");
  };
  const std::string source = "<source>a</source>";
  CHECK_THAT(xliff("1.2", "<trans-unit>" + source + "<trans-unit>" + source + "</trans-unit></trans-unit>"),
             Catch::StartsWith("a.xlf:1: has <trans-unit> in the <trans-unit> of line 1, "));
  CHECK_THAT(xliff("2.0", "<unit><segment>" + source + "</segment><unit></unit></unit>"),
             Catch::StartsWith("a.xlf:1: has <unit> in the <unit> of line 1, "));
  CHECK_THAT(xliff("2.0", "<unit><segment>" + source + "<segment>" + source + "</segment></segment></unit>"),
             Catch::StartsWith("a.xlf:1: has <segment> in the <segment> of line 1" + unknown));
  CHECK_THAT(xliff("1.2", "<trans-unit><source>a<target>b</target></source></trans-unit>"),
             Catch::StartsWith("a.xlf:1: has <target> in the <source> of line 1" + unknown));
  CHECK(xliff("1.2", "<group><group><trans-unit>" + source +
                         "<seg-source><mrk mtype=\"seg\"><mrk mtype=\"x-a\">a</mrk></mrk></seg-source><target><g>b<ph>"
                         "<sub>c</sub></ph></g></target><alt-trans>" +
                         source + "<target>b</target></alt-trans><note>n</note></trans-unit></group></group>")
            .empty());
  CHECK(xliff("2.1", "<group><unit><mtc:matches><mtc:match>" + source +
                         "<target>b</target></mtc:match></mtc:matches><segment>" + source +
                         "</segment><ignorable><source> </source></ignorable></unit></group>")
            .empty());

  const auto set = [](const std::string& text) {
    return TextFile("w.xml", "<?xml version=\"1.0\"?>\n<dataset>" + text + "</dataset>").error("#src");
  };
  const std::string src = "<src lang=\"en\"><p><seg id=\"1\">a</seg></p>";
  CHECK_THAT(set("<doc>" + src + "</src><doc>" + src + "</src></doc></doc>"),
             Catch::StartsWith("w.xml:2: has <doc> in the <doc> of line 2, "));
  CHECK_THAT(set("<doc>" + src + "<ref lang=\"de\"><seg id=\"1\">b</seg></ref></src></doc>"),
             Catch::StartsWith("w.xml:2: has <ref> in the <src> of line 2" + unknown));
  CHECK(TextFile("s.sgm", "<srcset><doc>\n<seg>a\n<seg>b</seg></seg></doc></srcset>").error() ==
        "s.sgm:2: has a segment without an end; add </seg>, or download the file again");
}

TEST_CASE("test sets of WMT are read in SGML and in XML") {
  const std::string set =
      "<srcset setid=\"n\" srclang=\"any\">\n<DOC docid=\"1\">\n<p>\n<seg id=\"1\"> A &amp; B&#39;s "
      "</seg>\n<SEG id=\"2\">\nx < y &lt;b&gt; &#x1F600; &no;</SEG>\n</p></doc>\n</srcset>\n";
  const Lines lines = {"A & B's", "x < y <b> \U0001F600 &no;"};
  CHECK(TextFile("set.sgm", set).lines() == lines);
  CHECK(TextFile("set", set).lines() == lines);
  CHECK(TextFile("set", "<!DOCTYPE srcset>\n" + set).lines() == lines);
  CHECK(TextFile("set.sgm", set.substr(0, set.find("</SEG>"))).error() ==
        "set.sgm:5: has a segment without an end; add </seg>, or download the file again");
  const std::string unfinished = "set.sgm:4: has a segment without an end; add </seg>, or download the file again";
  CHECK(TextFile("set.sgm", replaced(set, " </seg>\n<SEG id=\"2\">", "\n<SEG id=\"2\">")).error() == unfinished);
  CHECK(TextFile("set.sgm", "<srcset>\n<doc>\n\n<seg>a\n<seg>b").error() == unfinished);
  CHECK(TextFile("set.sgm", "<srcset><seg>a <segment> b</seg></srcset>").lines() == Lines{"a <segment> b"});
  CHECK(TextFile("set.xml",
                 "<?xml version=\"1.0\"?><mteval><srcset><doc><seg id=\"1\">a &amp; b</seg></doc></srcset></mteval>")
            .lines() == Lines{"a & b"});
  const TextFile xml("w.xml", R"(<?xml version='1.0' encoding='utf-8'?>
<dataset id="t"><doc id="d1"><src lang="en"><p><seg id="1">one</seg><seg id="2">two</seg></p></src>
<ref lang="de" translator="A"><p><seg id="1">eins</seg><seg id="2">zwei</seg></p></ref>
<ref lang="de" translator="B"><p><seg id="2">zwo</seg></p></ref></doc>
<doc id="d2"><src lang="en"><p><seg id="1">three</seg></p></src></doc></dataset>)");
  CHECK(xml.lines("#src") == Lines{"one", "two", "three"});
  CHECK(xml.lines("#en") == Lines{"one", "two", "three"});
  CHECK(xml.lines("#ref:A") == Lines{"eins", "zwei", ""});
  CHECK(xml.lines("#ref:B") == Lines{"", "zwo", ""});
  CHECK_THAT(xml.error("#cs"),
             Catch::StartsWith("w.xml:1: it has no text in 'cs', only src, en, ref:a, de, ref:b; name"));
}

TEST_CASE("of several translators or systems of a test set the one to read must be named") {
  const auto version = [](const std::string& tag, const std::string& text) {
    return "<" + tag + "><seg id=\"1\">" + text + "</seg></" + tag.substr(0, 3) + ">";
  };
  const TextFile several("w.xml", "<?xml version=\"1.0\"?>\n<dataset><doc id=\"d\">" +
                                      version("src lang=\"en\"", "one") +
                                      version("ref lang=\"de\" translator=\"A\"", "eins") +
                                      version("ref lang=\"de\" translator=\"B\"", "ein") +
                                      version("hyp lang=\"de\" system=\"S\"", "1") + "</doc></dataset>");
  CHECK(several.error("#ref") ==
        "w.xml:2: it has several texts in 'ref' (ref:a, ref:b); name the one to read, as in w.xml#ref:a");
  CHECK(several.error("#de") ==
        "w.xml:2: it has several texts in 'de' (ref:a, ref:b, hyp:s); name the one to read, as in w.xml#ref:a");
  CHECK(several.lines("#ref:B") == Lines{"ein"});
  CHECK(several.lines("#hyp") == Lines{"1"});
  const TextFile outputs("o.xml", "<?xml version=\"1.0\"?>\n<dataset><doc id=\"d\">" +
                                      version("hyp lang=\"de\" system=\"S\"", "1") +
                                      version("hyp lang=\"de\" system=\"T\"", "eins") + "</doc></dataset>");
  CHECK(outputs.error() == "o.xml:2: it has several texts (hyp:s, hyp:t); name the one to read, as in o.xml#hyp:s");
}

TEST_CASE("the segments of a test set have the names of their documents and their own, and other lines none") {
  const auto names = [](const std::string& name, const std::string& text, const std::string& part = "") {
    const TemporaryDirectory directory;
    write_file_atomically(directory / name, text);
    LineReader reader((directory / name) + part);
    Lines found;
    for (std::string line; reader.next(line);) found.push_back(reader.segment_name());
    return found;
  };
  const std::string segments = "<seg id=\"1\">a</seg>\n<SEG x=\"docid\" id='2' >b</SEG><seg>c</seg>";
  const Lines expected = {"t-1 segment 1", "t-1 segment 2", ""};
  CHECK(names("a.sgm", "<srcset setid=\"s\">\n<DOC sysid=\"r\" docid=\"t-1\">" + segments + "</doc></srcset>") ==
        expected);
  CHECK(names("a.sgm", "<srcset><doc docid=t-1>" + segments + "</doc><seg id=\"1\">d</seg></srcset>").size() == 4);
  CHECK(names("a.xml",
              "<?xml version=\"1.0\"?><mteval><srcset><doc docid=\"t-1\"><seg id=\"1\">a</seg><seg "
              "id=\"2\">b</seg><seg>c</seg></doc></srcset></mteval>") == expected);
  CHECK(names("w.xml",
              "<?xml version=\"1.0\"?><dataset><doc id=\"t-1\"><src lang=\"en\"><seg "
              "id=\"1\">a</seg></src></doc></dataset>",
              "#src") == Lines{"t-1 segment 1"});
  CHECK(names("a.en", "a\nb\n") == Lines{"", ""});
  CHECK(names("memory.tmx", kMemory, "#en") == Lines{"", "", ""});
}

TEST_CASE("text outside of the segments of a test set is refused with its line, and that of other elements is not") {
  const auto sgml = [](const std::string& text) { return TextFile("t.sgm", text); };
  const std::string outside =
      " has text outside of its segments, though it begins like a test set; put it into <seg>, ";
  for (const std::string first :
       {"<doc id=\"12\" title=\"A\">", "<mteval>", "<refset>", "<DOC docid=\"1\">\n<hl>A</hl>"}) {
    INFO(first);
    CHECK_THAT(sgml(first + "\nThe bus is late.\n</doc>\n").error(), Catch::Contains(outside));
  }
  CHECK_THAT(sgml("<refset> of a paper.\n").error(), Catch::StartsWith("t.sgm:1:" + outside));
  CHECK_THAT(sgml("<doc id=\"1\">\n<seg>a</seg>\n\n Ä <seg>b</seg></doc>").error(),
             Catch::StartsWith("t.sgm:4:" + outside));
  CHECK(
      sgml("<!-- one > two --><!DOCTYPE srcset><srcset>\n<doc id=\"1\"><url>http://a.b</url><title>A <b>title</b> of it"
           "</title>\n - 1 < 2 &nbsp;<hl>Head<seg>a</seg></hl><br/><p><seg>b</seg></p></doc></srcset>\n")
          .lines() == Lines{"a", "b"});
  const auto xml = [](const std::string& text) { return TextFile("t.xml", "<?xml version=\"1.0\"?>\n" + text); };
  CHECK(xml("<dataset><doc><src lang=\"en\"><p>\nlost <seg id=\"1\">a</seg></p></src></doc></dataset>").error() ==
        "t.xml:3: has text outside of its segments, in <p>; move it into a segment, or remove it");
  CHECK(TextFile("t.tmx", "<tmx><body><tu><tuv lang=\"en\">lost</tuv></tu></body></tmx>").error("#en") ==
        "t.tmx:1: has text outside of its segments, in <tuv>; move it into a segment, or remove it");
  CHECK(xml("<mteval><srcset><doc><title>a <b>title</b> of it</title><seg id=\"1\">a</seg></doc></srcset></mteval>")
            .lines() == Lines{"a"});
}

TEST_CASE("a file of segments that has none is refused") {
  const std::string none =
      "it begins like a test set or another file with segments, but has none; give one with text or, if it is plain "
      "text, remove the lines of markup";
  for (const std::string text : {"<srcset>\n</srcset>\n", "<doc >\n1 2\n", "<tmx><body/></tmx>",
                                 "<xliff version=\"1.2\"><file><body></body></file></xliff>", "<dataset></dataset>"}) {
    INFO(text);
    CHECK(TextFile("a", text).error() == "a:1: " + none);
    CHECK(TextFile("a.xml", text).error("#en") == "a.xml:1: " + none);
  }
}

TEST_CASE("a part of HTML, XML without a declaration and a gettext file are named, and text with tags is text") {
  const auto error = [](const std::string& text) { return TextFile("a", text).error(); };
  for (const std::string text :
       {"<div class=\"a\">The bus is late.</div>\n", "<p>One.</p>\n<p>Two.</p>\n", "<!-- a -->\n<P>One.\n<P>Two.\n",
        "<ul>\n  <li>One\n  two</li>\n</ul>\n", "<div xmlns=\"x\">a\nb\nc\n</div>\n"}) {
    INFO(text);
    CHECK_THAT(error(text), Catch::StartsWith("a:1: cannot be read: it is HTML; "));
  }
  for (const std::string text : {"<w:document xmlns:w=\"x\"><w:p>One.</w:p>\n<w:p>Two</w:p></w:document>\n",
                                 "<document>\n <s>One.</s>\n <s>Two.</s>\n</document>\n"}) {
    INFO(text);
    CHECK_THAT(error(text), Catch::StartsWith("a:1: it is XML; write its segments into a text file") &&
                                Catch::EndsWith("this is <document>)"));
  }
  const std::string gettext = "# A comment\n\nmsgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n";
  for (const std::string& text : {gettext, "msgctxt \"a\"\n" + gettext}) {
    CHECK(error(text) ==
          "a:1: cannot be read: it is a catalog of messages of gettext (po); convert it to XLIFF, with po2xliff of "
          "translate-toolkit");
  }
  for (const std::string text :
       {"<2de> The bus is late.\n<2de> Yes.\n", "<de> The bus\n", "<b>No</b> smoking\n", "<b>Yes.</b>\n<b>No.</b>\n",
        "<s>One.</s>\n<s>Two.</s>\n", "<unk>\n<unk>\n", "<p>\nOne.\nTwo.\n", "<P>One.\nTwo.\nThree.\n", "< a >\n",
        "<a\n", "msgid is a word\n", "msgid \"a\"\n"}) {
    INFO(text);
    CHECK(error(text).empty());
  }
}

TEST_CASE("subtitles among times or frames, and messages among keys, are named, and text like them is text") {
  const auto error = [](const std::string& name, const std::string& text) { return TextFile(name, text).error(); };
  const std::string timed =
      ":1: cannot be read: it is subtitles in another format than SubRip's; convert them to that, as with `ffmpeg -i "
      "FILE FILE.srt`";
  CHECK(error("a", "0:00:01.000,0:00:02.500\r\nOne.\r\nTwo.\r\n\r\n0:00:03.000,0:00:04.000\r\nThree.\r\n") ==
        "a" + timed);
  CHECK(error("a", "[ar:Someone]\n[00:01.00]One.\n[01:03.50]Two.\n") == "a" + timed);
  CHECK(error("a", "\uFEFF[Script Info]\nTitle: a\n") == "a" + timed);
  CHECK(error("a", "{10}{40}One.|Two.\n{50}{90}Three.\n") ==
        "a:1: cannot be read: it is subtitles of MicroDVD; convert them to SubRip's format, as with `pysubs2 --to srt "
        "--fps 25 FILE`, with the film's frames per second");
  CHECK(error("a.strings", "\"title\" = \"One.\";\n") ==
        "a.strings:1: cannot be read: it is a file of texts of Apple's programs; export them as XLIFF, as with "
        "`xcodebuild "
        "-exportLocalizations`");
  CHECK_THAT(error("a.ftl", "title = One.\n"),
             Catch::StartsWith("a.ftl:1: cannot be read: it is a file of messages of Fluent; "));
  for (const std::string text :
       {"{10}{40}One.\nTwo.\nThree.\n", "[12:34] <a> One.\n[12:35] <b> Two.\n", "0:00:01.000,0:00:02.500 is when.\n",
        "[Script Info] is a heading.\n", "title = One.\n", "{1}\n", "[1:2]\n"}) {
    INFO(text);
    for (const std::string name : {"a", "train.lrc", "train.sub"}) CHECK(error(name, text).empty());
  }
}

TEST_CASE("a field of JSON Lines is read") {
  const TextFile pairs(
      "pairs.jsonl",
      "\uFEFF{\"id\": 1, \"translation\": {\"de\": \"Hallo\\nWelt\", \"en\": \"Hello\"}, \"a.b\": \"c\"}\n"
      "{\"translation\": {\"de\": null, \"en\": \"x\"}}\r\n\n{\"translation\": {\"de\": \"last\"}}");
  CHECK(pairs.lines("#translation.de") == Lines{"Hallo Welt", "", "", "last"});
  CHECK(pairs.error() ==
        "pairs.jsonl:1: it is JSON Lines with the fields translation.de, translation.en, a.b; name the one to read, as "
        "in "
        "pairs.jsonl#translation.de");
  CHECK(pairs.error("#translation.en") ==
        "pairs.jsonl:4: has no field 'translation.en', only translation.de; name one that all records have, as in "
        "pairs.jsonl#translation.de");
  CHECK(pairs.error("#id") == "pairs.jsonl:1: the field 'id' is not text but number");
  CHECK_THAT(pairs.error("#a.b"), Catch::StartsWith("pairs.jsonl:2: has no field 'a.b', only translation.en"));
  CHECK_THAT(TextFile("a.jsonl", "{\"a\": \"b\"}\n{\"a\": \n").error("#a"), Catch::StartsWith("a.jsonl:2: not JSON: "));
  CHECK(TextFile("l.json", "[\n {\"a\": \"b\"}\n]\n").error("#a") ==
        "l.json:1: cannot be read: it is a JSON list; write one of its records in each line, for example with `jq -c "
        "'.[]'`, and name a field, as in pairs.jsonl#text");
}

namespace {

/// What sacreBLEU does to a segment and the program does not.
std::string with_single_spaces(const std::string& text) {
  std::string spaced = replaced(replaced(text, "\u00A0", " "), "\t", " ");
  while (spaced.find("  ") != std::string::npos) spaced = replaced(spaced, "  ", " ");
  return spaced;
}

/// What the program does to a segment of markup and sacreBLEU, but in the format of WMT 2021, does not.
std::string without_entities(const std::string& text) {
  return replaced(replaced(replaced(replaced(text, "&lt;", "<"), "&gt;", ">"), "&quot;", "\""), "&amp;", "&");
}

}  // namespace

TEST_CASE("test sets of WMT, IWSLT and MTNT have the lines that sacreBLEU reads, but for blanks and entities") {
  for (const golden::TestSetText& text : golden::kTestSetTexts) {
    INFO(text.file + text.part);
    Lines lines = TextFile(text.file, text.content).lines(text.part), expected = text.lines;
    const bool is_table = text.file.ends_with(".tsv");
    for (std::string& line : lines) line = is_table ? line : with_single_spaces(line);
    for (std::string& line : expected) line = is_table ? line : without_entities(line);
    CHECK(lines == expected);
  }
  CHECK(golden::kTestSetTexts.size() == 10);
}

TEST_CASE("a file that is empty or names no language says so where a part is named") {
  for (const std::string text : {"", "\n", " \n\n"}) {
    CHECK(TextFile("a.tmx", text).error("#en") == "a.tmx:1: it is empty; give a file with text");
  }
  CHECK(TextFile("a.tmx", "<tmx><body><tu></tu></body></tmx>").error("#en") ==
        "a.tmx:1: it has no text with a language; give a file in which each text has one, or is a segment");
}

TEST_CASE("plain text has no parts") {
  const TextFile text("text.xml", "one\n<two>\n");
  CHECK(text.lines() == Lines{"one", "<two>"});
  CHECK(text.error("#en") ==
        "text.xml:1: cannot be read: it is plain text, of which '#en' names no part; give the path without it");
}

}  // namespace transformer
