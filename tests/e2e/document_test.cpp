#include <string>
#include <vector>

#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

std::vector<std::string> with_model(const std::vector<std::string>& more) {
  return with({"translate", "--model", trained() / "model.pt", "--threads", "1", "--device", "cpu"}, more);
}

/// A document with three sentences, which are "{0}", "{1}" and "{2}" here.
struct Form {
  std::string name, text, part, into, translated;
};

std::string filled(std::string form, const std::vector<std::string>& sentences) {
  for (size_t i = 0; i < sentences.size(); ++i) {
    const std::string mark = "{" + std::to_string(i) + "}";
    for (size_t at = form.find(mark); at != std::string::npos; at = form.find(mark)) {
      form.replace(at, mark.size(), sentences[i]);
    }
  }
  return form;
}

/// The form with the sentences of `source` where `translated` has them as "{s0}", and the translations.
std::string expected_output(std::string form, const std::vector<std::string>& sources,
                            const std::vector<std::string>& translations) {
  for (size_t i = 0; i < sources.size(); ++i) {
    const std::string mark = "{s" + std::to_string(i) + "}";
    for (size_t at = form.find(mark); at != std::string::npos; at = form.find(mark)) {
      form.replace(at, mark.size(), sources[i]);
    }
  }
  return filled(form, translations);
}

const std::string kState = " state=\"needs-review-translation\" state-qualifier=\"mt-suggestion\"";

const std::vector<Form> kForms = {
    {"a.xlf",
     "<xliff version=\"1.2\"><file source-language=\"en\" target-language=\"de\"><body>\n"
     "<trans-unit id=\"1\"><source><g id=\"1\">{0}</g></source></trans-unit>\n"
     "<trans-unit id=\"2\"><source>{1}</source><target>old</target></trans-unit>\n"
     "<trans-unit id=\"3\"><source> {2}<x id=\"1\"/></source><note>n</note></trans-unit></body></file></xliff>\n",
     "", "",
     "<xliff version=\"1.2\"><file source-language=\"en\" target-language=\"de\"><body>\n"
     "<trans-unit id=\"1\"><source><g id=\"1\">{s0}</g></source><target" +
         kState +
         "><g id=\"1\">{0}</g></target></trans-unit>\n"
         "<trans-unit id=\"2\"><source>{s1}</source><target" +
         kState +
         ">{1}</target></trans-unit>\n"
         "<trans-unit id=\"3\"><source> {s2}<x id=\"1\"/></source><target" +
         kState + "> {2}<x id=\"1\"/></target><note>n</note></trans-unit></body></file></xliff>\n"},
    {"b.xliff",
     "<xliff version=\"2.1\" srcLang=\"en\" trgLang=\"de\"><file id=\"f\"><unit id=\"u\"><segment><source>{0}</source>"
     "</segment><segment "
     "state=\"initial\"><source>{1}</source></segment><segment><source>{2}</source></segment></unit></file></xliff>",
     "", "",
     "<xliff version=\"2.1\" srcLang=\"en\" trgLang=\"de\"><file id=\"f\"><unit id=\"u\"><segment "
     "state=\"translated\"><source>"
     "{s0}</source><target>{0}</target></segment><segment "
     "state=\"translated\"><source>{s1}</source><target>{1}</target>"
     "</segment><segment "
     "state=\"translated\"><source>{s2}</source><target>{2}</target></segment></unit></file></xliff>"},
    {"m.tmx",
     "<tmx version=\"1.4\"><header srclang=\"en\"/><body>\n<tu><tuv xml:lang=\"en\"><seg>{0}</seg></tuv></tu>\n"
     "<tu>\n <tuv xml:lang=\"en-GB\"><seg>{1}</seg></tuv>\n <tuv xml:lang=\"de\"><seg/></tuv></tu>\n"
     "<tu><tuv xml:lang=\"en\"><seg>{2}</seg></tuv></tu></body></tmx>",
     "#en", "de",
     "<tmx version=\"1.4\"><header srclang=\"en\"/><body>\n<tu><tuv xml:lang=\"en\"><seg>{s0}</seg></tuv><tuv "
     "xml:lang=\"de\"><seg>{0}</seg></tuv></tu>\n"
     "<tu>\n <tuv xml:lang=\"en-GB\"><seg>{s1}</seg></tuv>\n <tuv xml:lang=\"de\"><seg>{1}</seg></tuv></tu>\n"
     "<tu><tuv xml:lang=\"en\"><seg>{s2}</seg></tuv><tuv xml:lang=\"de\"><seg>{2}</seg></tuv></tu></body></tmx>"},
    {"p.jsonl", "{\"en\": \"{0}\"}\n{\"id\":2,\"en\":\"{1}\",\"de\":\"\"}\n{\"en\": \"{2}\", \"n\": 1e3}\n", "#en",
     "de",
     "{\"en\": \"{s0}\", \"de\": \"{0}\"}\n{\"id\":2,\"en\":\"{s1}\",\"de\":\"{1}\"}\n{\"en\": \"{s2}\", \"n\": 1e3, "
     "\"de\": "
     "\"{2}\"}\n"},
    {"t.tsv", "{0}\tx\n{1}\ty\r\n{2}\tz", "#1", "3", "{s0}\tx\t{0}\n{s1}\ty\t{1}\r\n{s2}\tz\t{2}"},
    {"a.srt", "1\n00:00:01,000 --> 00:00:02,000\n<i>{0}</i>\n\n2\n00:00:03,000 --> 00:00:04,000\n- {1}\n- {2}\n", "",
     "", "1\n00:00:01,000 --> 00:00:02,000\n<i>{0}</i>\n\n2\n00:00:03,000 --> 00:00:04,000\n- {1}\n- {2}\n"},
    {"a.html", "<!doctype html><title>{0}</title><p>{1}<p><a href=\"x\">{2}</a><pre>ba</pre>\n", "", "",
     "<!doctype html><title>{0}</title><p>{1}<p><a href=\"x\">{2}</a><pre>ba</pre>\n"},
    {"a.md", "# {0}\n\n* **{1}**\n\n```\nba\n```\n> {2}\n", "", "", "# {0}\n\n* **{1}**\n\n```\nba\n```\n> {2}\n"},
    {"s.sgm",
     "<refset setid=\"x\" srclang=\"en\" trglang=\"fr\"><doc docid=\"d\" sysid=\"ref\">\n<seg id=\"1\">{0}</seg>\n<seg "
     "id=\"2\">{1}</seg><seg id=\"3\">{2}</seg></doc></refset>\n",
     "", "de",
     "<tstset setid=\"x\" srclang=\"en\" trglang=\"de\"><doc docid=\"d\" sysid=\"transformer\">\n<seg "
     "id=\"1\">{0}</seg>\n<seg id=\"2\">{1}</seg><seg id=\"3\">{2}</seg></doc></tstset>\n"},
    {"w.xml",
     "<dataset id=\"x\"><doc id=\"d\"><src lang=\"en\"><p><seg id=\"1\">{0}</seg><seg id=\"2\">{1}</seg></p><p><seg "
     "id=\"3\">{2}</seg></p></src></doc></dataset>",
     "", "de",
     "<dataset id=\"x\"><doc id=\"d\"><src lang=\"en\"><p><seg id=\"1\">{s0}</seg><seg id=\"2\">{s1}</seg></p><p><seg "
     "id=\"3\">{s2}</seg></p></src><hyp system=\"transformer\" lang=\"de\"><p><seg id=\"1\">{0}</seg><seg "
     "id=\"2\">{1}</seg></p><p><seg id=\"3\">{2}</seg></p></hyp></doc></dataset>"},
    {"a.txt", "{0}\n\n {1}\n\n\n{2}", "", "", "{0}\n\n {1}\n\n\n{2}"},
};

}  // namespace

TEST_CASE("translate gives a document of each format back, with the translations of its sentences") {
  const Workplace place;
  const std::vector<std::string> sources = {"ba be bi", "du do", "ku ga gu ge"};
  const std::vector<std::string> translations =
      lines_of(only_output_of(place.run(with_model({"--quiet"}), text_of(sources))));
  REQUIRE(translations == std::vector<std::string>{"al el il", "um om", "us an un en"});
  for (const Form& form : kForms) {
    INFO(form.name);
    place.write(form.name, filled(form.text, sources));
    std::vector<std::string> arguments = {"--quiet", "--format", "document", "--input", form.name + form.part};
    if (!form.into.empty()) arguments = with(arguments, {"--into", form.into});
    CHECK(only_output_of(place.run(with_model(arguments))) == expected_output(form.translated, sources, translations));
  }
  // Compressed, and from stdin.
  REQUIRE(place.run_shell("gzip -k a.xlf").status == 0);
  const std::string expected = expected_output(kForms[0].translated, sources, translations);
  REQUIRE(place.run(with_model({"--format", "document", "--input", "a.xlf.gz", "--output", "out.xlf.gz"})).status == 0);
  CHECK(only_output_of(place.run_shell("gzip -dc out.xlf.gz")) == expected);
  const Result piped = place.run(with_model({"--format", "document"}), place.read("a.xlf"));
  CHECK(piped.out == expected);
  CHECK_THAT(piped.err, Catch::Contains("3 lines"));
  const Result memory =
      place.run(with_model({"--format", "document", "--input", "-#en", "--into", "de"}), place.read("m.tmx"));
  CHECK(memory.out == expected_output(kForms[2].translated, sources, translations));
  // Characters of HTML whose names lack a semicolon.
  place.write("b.html", "<p>ba&nbspbe AT&ampT<p>du do");
  CHECK(output_of(place.run(with_model({"--format", "document", "--input", "b.html"}))) ==
        "<p>" + lines_of(output_of(place.run(with_model({}), "ba\u00A0be AT&T\n")))[0] + "<p>" + translations[1]);
  // Text from stdin keeps the marks of headings and lists.
  CHECK(place.run(with_model({"--format", "document"}), "# " + sources[0] + "\n- " + sources[1] + "\n- " + sources[2])
            .out == "# " + translations[0] + "\n- " + translations[1] + "\n- " + translations[2]);
}

TEST_CASE("translate names what a document lacks, and options that do not go with one") {
  const Workplace place;
  for (const Form& form : kForms) place.write(form.name, form.text);
  const auto fails = [&](int status, const std::vector<std::string>& arguments, const std::string& message) {
    check_fails(place.run(with_model(with({"--format", "document"}, arguments))), status, {message});
  };
  fails(2, {"-i", "m.tmx#en"}, "--into: m.tmx has several languages; name that of the translations");
  fails(1, {"-i", "m.tmx#fr", "--into", "de"}, "m.tmx:1: it has no text in 'fr', only en, en-GB, de; name one of them");
  fails(2, {"-i", "p.jsonl#en"}, "--into: p.jsonl is JSON Lines; name the field");
  fails(2, {"-i", "a.md", "--into", "de"}, "--into de: a.md has no parts to name");
  fails(2, {"-i", "t.tsv#1", "--into", "1"}, "--into: t.tsv has columns");
  fails(2, {"-i", "a.md", "--prefix", "a.txt"}, "--prefix: begins whole lines");
  fails(2, {"-i", "a.md", "--alignment"}, "--alignment: needs whole lines");
  fails(2, {"-i", "a.md", "--nbest", "2"}, "--nbest 2: a document holds one translation");
  fails(2, {"-i", "a.md", "--word-probabilities"}, "--word-probabilities: needs whole lines");
  fails(2, {"-i", "a.md", "--scores"}, "--scores: a document has no place for scores");
  fails(2, {"-i", "a.md", "--word-scores"}, "--word-scores: a document has no place for scores");
  fails(1, {"-i", "none.md"}, "none.md: cannot be read: there is no such file");
  CHECK_THAT(place.run(with_model({"--format", "document", "-i", "none.md"})).err,
             !Catch::Contains("none.md: none.md"));
  fails(2, {"-i", "a.md", "-o", "out.md.xz"}, "out.md.xz: only gzip compresses what is written; give a name that ends");
  CHECK(!place.has("out.md.xz"));
  place.write("a.po", "msgid \"ba\"\n");
  fails(1, {"-i", "a.po"}, "a.po: such files are not translated as documents; convert it to XLIFF, with po2xliff");
  place.write("a.sbv", "0:00:01.000,0:00:02.500\nba be\n");
  fails(1, {"-i", "a.sbv"}, "a.sbv: it is subtitles in another format than SubRip's; convert them to that, as with ");
  place.write("a.strings", "\"ba\" = \"be\";\n");
  fails(1, {"-i", "a.strings"}, "a.strings: it is a file of texts of Apple's programs; export them as XLIFF, as with ");
  place.write(
      "nested.tmx",
      "<tmx><header srclang=\"en\"/><tu><tuv lang=\"en\"><seg>ba</seg></tuv><tu>\n<tuv lang=\"en\"><seg>be</seg>"
      "</tuv></tu></tu></tmx>");
  fails(1, {"-i", "nested.tmx", "--into", "de"}, "nested.tmx:1: has a unit in a unit, <tu> in the <tu> of line 1, ");
  check_fails(place.run(with_model({"--format", "document"}), "{\"a\": \"b\"}\n"), 2,
              {"stdin: it is JSON Lines; name the field to translate, as in -#text"});
  place.write("broken.xlf", "<xliff version=\"1.2\">\n<file></xliff>");
  fails(1, {"-i", "broken.xlf"}, "broken.xlf:2: its XML is broken: mismatched tag");
  place.write("other.xml", "<?xml version=\"1.0\"?><office/>");
  fails(1, {"-i", "other.xml"}, "other.xml: its outermost element is <office>");
  place.write("list.json", "[\n{\"a\": \"b\"}]");
  fails(1, {"-i", "list.json"}, "list.json: it is a JSON list; write one of its records in each line");
  check_fails(place.run(with_model({"--into", "de"}), "ba\n"), 2, {"--into: needs --format document"});
  check_fails(place.run(with_model({"--split-language", "de"}), "ba\n"), 2,
              {"--split-language: needs --split sentences"});
  check_fails(place.run(with_model({"--split", "sentences", "--nbest", "2", "--format", "jsonl"}), "ba\n"), 2,
              {"--split and --protect"});
  check_fails(place.run(with_model({"--protect", "--scores"}), "ba\n"), 2, {"--split and --protect"});
  check_fails(place.run(with_model({"--protect-regex", "("}), "ba\n"), 2,
              {"--protect-regex (: is not a regular expression"});

  place.write("empty.xlf", "<xliff version=\"1.2\"><file source-language=\"en\"/></xliff>");
  const Result nothing = place.run(with_model({"--format", "document", "-i", "empty.xlf"}));
  CHECK(output_of(nothing) == place.read("empty.xlf"));
  CHECK_THAT(nothing.err, Catch::Contains("warning: empty.xlf: has nothing to translate"));
}

TEST_CASE("translate says what of a document it leaves as it is, and names the document's lines in warnings") {
  const Workplace place;
  place.write(
      "a.xlf",
      "<xliff version=\"1.2\"><file source-language=\"en\"><body>\n<trans-unit approved=\"yes\"><source>ba</source>"
      "<target>x</target></trans-unit>\n<trans-unit><source>ba "
      "\xE4\xBD\xA0</source></trans-unit></body></file></xliff>");
  const Result kept = place.run(with_model({"--format", "document", "-i", "a.xlf"}));
  CHECK_THAT(output_of(kept), Catch::Contains("<source>ba</source><target>x</target>"));
  CHECK_THAT(kept.err,
             Catch::Contains("a.xlf: left 1 unit unchanged, marked as final") && Catch::Contains("a.xlf:3: "));
  place.write("m.tmx",
              "<tmx><header srclang=\"en\"/><tu><tuv lang=\"en\"><seg>ba</seg></tuv></tu><tu><tuv lang=\"fr\">"
              "<seg>b</seg></tuv></tu></tmx>");
  const Result without = place.run(with_model({"--format", "document", "-i", "m.tmx", "--into", "de"}));
  CHECK_THAT(without.err, Catch::Contains("warning: m.tmx: 1 unit without text in the language to translate from"));
}

TEST_CASE("translate divides lines into sentences and joins their translations") {
  const Workplace place;
  const auto translate = [&](const std::string& input, const std::vector<std::string>& more) {
    return output_of(place.run(with_model(with({"--quiet"}, more)), input));
  };
  // The model has seen no punctuation, so that whole lines and sentences differ.
  const std::vector<std::string> sentences = {"Ba be bi.", "Du do!", "Dr. Ku ga gu."};
  const auto one_by_one = lines_of(translate(text_of(sentences), {}));
  const std::string line = "Ba be bi.  Du do! Dr. Ku ga gu.\n\nBa be bi.\n";
  CHECK(translate(line, {"--split", "sentences"}) ==
        one_by_one[0] + " " + one_by_one[1] + " " + one_by_one[2] + "\n\n" + one_by_one[0] + "\n");
  CHECK(translate(line, {"--split", "lines"}) == translate(line, {}));
  const auto ordinals = lines_of(translate("Ba 3.\nBe du.\nBa 3. Be du.\n", {}));
  CHECK(translate("Ba 3. Be du.\n", {"--split", "sentences"}) == ordinals[0] + " " + ordinals[1] + "\n");
  CHECK(translate("Ba 3. Be du.\n", {"--split", "sentences", "--split-language", "de"}) == ordinals[2] + "\n");
  place.write("a.txt", "Ba be bi.\nDu do!\n");
  CHECK(translate("", {"--split", "sentences", "--format", "document", "-i", "a.txt"}) ==
        one_by_one[0] + " " + one_by_one[1] + "\n");
  // Line breaks of a field stay, and end sentences.
  const std::string record = "{\"a\":\"Ba be bi.\\nDu do!\\n\\n- Ba be bi. Du do!\"";
  place.write("a.jsonl", record + "}\n");
  CHECK(translate("", {"--split", "sentences", "--format", "document", "-i", "a.jsonl#a", "--into", "b"}) ==
        record + ",\"b\":\"" + one_by_one[0] + "\\n" + one_by_one[1] + "\\n\\n- " + one_by_one[0] + " " +
            one_by_one[1] + "\"}\n");
}

TEST_CASE("translate keeps placeholders, each where the text around it was translated apart") {
  const Workplace place;
  const auto lines = lines_of(only_output_of(place.run(with_model({"--quiet"}), "ba be\ndu do\n")));
  const std::string input = "ba be\nba be {name} du do\n%s <b>ba be</b>\n";
  const Result result = place.run(with_model({"--protect"}), input);
  CHECK(output_of(result) == lines[0] + "\n" + lines[0] + " {name} " + lines[1] + "\n%s <b>" + lines[0] + "</b>\n");
  CHECK_THAT(result.err, Catch::Contains("warning: stdin:2: the model did not keep a placeholder, the first of 2 such "
                                         "lines; what is between placeholders was translated apart"));
  CHECK_THAT(result.err, !Catch::Contains("its translation lacks a placeholder"));
  const Result own = place.run(with_model({"--protect-regex", "[A-Z]+[0-9]"}), "ba be XY1 {du} do\n");
  CHECK_THAT(output_of(own), Catch::StartsWith(lines[0] + " XY1 ") && !Catch::Contains("{"));
  // "al" is what "ba" means, so the translation has one that the line lacks.
  const Result other = place.run(with_model({"--protect-regex", "al"}), "ba be\n");
  CHECK_THAT(other.err,
             Catch::Contains("stdin:1: its translation lacks a placeholder or has another one, the only such line"));
  CHECK_THAT(other.err, !Catch::Contains("was translated apart"));
}

TEST_CASE("translate --protect cleans lines as it does without, and translates no text without letters") {
  const Workplace place;
  const auto lines = lines_of(only_output_of(place.run(with_model({"--quiet"}), "ba be\n")));
  const Result result = place.run(with_model({"--protect"}), "ba be {name}\r\n{a} \u2013 {b}\n<b \xff>ba be</b>\n");
  CHECK(output_of(result) == lines[0] + " {name}\n{a} \u2013 {b}\n<b \ufffd>" + lines[0] + "</b>\n");
  CHECK_THAT(result.err, Catch::Contains("stdin:3: not UTF-8, the only such line"));
}

TEST_CASE("equal sentences of a line and equal parts get samples of their own") {
  const Workplace place;
  const auto samples = [&](const std::vector<std::string>& options, const std::string& input) {
    return output_of(place.run(with_model(with({"--sample", "--temperature", "3", "--seed", "5"}, options)), input));
  };
  const std::string whole = samples({}, "Ba be bi bo.\n");
  const std::string joined = samples({"--split", "sentences"}, "Ba be bi bo. Ba be bi bo.\n");
  const std::string first = whole.substr(0, whole.size() - 1);
  REQUIRE_THAT(joined, Catch::StartsWith(first));  // that of the line alone
  CHECK_THAT(joined.substr(first.size()), !Catch::Contains(first));
  const auto lines = lines_of(samples({"--protect"}, "ba be bi {a} ba be bi\nba be bi {a} ba be bi\n"));
  CHECK(lines[0] != lines[1]);
}

}  // namespace transformer
