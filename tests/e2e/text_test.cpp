#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "catch.h"
#include "repository.h"
#include "workplace.h"

namespace transformer {
namespace {

Result preprocess(const Workplace& place, const std::vector<std::string>& settings = {}) {
  std::vector<std::string> arguments = {"preprocess", "--config", "config.yaml"};
  for (const auto& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
  return place.run(arguments);
}

/// Made-up languages in which each word stands for a word of the workplace's source.
std::string translated(const std::string& text, const std::string& suffix) {
  std::string words;
  for (const char c : text) words += (c == ' ' || c == '\n' ? suffix : "") + std::string(1, c);
  return words;
}

/// The arguments of a short training on two corpora with the tags <x> and <y>, which this function writes.
std::vector<std::string> tagged_training(const Workplace& place) {
  REQUIRE(place.run_shell("for set in train valid; do cp $set.source b.$set.source; cp $set.target b.$set.target; done")
              .status == 0);
  std::vector<std::string> arguments;
  for (const char* setting :
       {"training.train_steps=2", "data.train.source=[train.source, b.train.source]", "data.vocabulary_size=70",
        "data.train.target=[train.target, b.train.target]", "data.train.tag=[<x>, <y>]"}) {
    arguments.insert(arguments.end(), {"--set", setting});
  }
  return arguments;
}

}  // namespace

TEST_CASE("a file of markup, JSON or another program is named as what it is wherever text is read") {
  const Workplace place;
  const std::string cannot = "cannot be read: it is ";
  const auto [beginning, name] = GENERATE_COPY(table<std::string, std::string>(
      {{"<?xml version=\"1.0\"?>\n<!DOCTYPE html>\n<html>\n",
        cannot + "HTML; `transformer translate --format document` translates it as a whole; for anything else, write"},
       {"\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?><office>\n", "it is XML; write its segments"},
       {"<TMX version=\"1.4\"></TMX", "its XML is broken: unclosed token"},
       {"\n\n<srcset setid=\"a\" srclang=\"any\"><seg id=\"1\"> ba be </se>\n", "has a segment without an end"},
       {"{\"source\": \"ba be\"}\n", "it is JSON Lines with the fields source; name the one to read, as in "},
       {"[\n  {\"source\": \"ba be\"}\n]\n", cannot + "a JSON list; write one of its records in each line"},
       {std::string("PK\3\4\0\0[Content_Types].xml\n", 26) + std::string(100000, 'x') + "xl/workbook.xml\n",
        cannot + "an Excel workbook (xlsx); save its sheet as tab-separated text"},
       {"PK\3\4 word/document.xml", cannot + "a Word document (docx); save it as plain text"},
       {"PK\3\4 model/data.pkl", cannot + "a model file or another file of PyTorch"},
       {"1\r\n00:00:01,000 --> 00:00:02,500\r\nba be\r\n", cannot + "subtitles; `transformer translate"},
       {"WEBVTT\n\n00:01.000 --> 00:02.500\nba be\n", cannot + "subtitles; `transformer translate"},
       {"0:00:01.000,0:00:02.500\nba be\n", cannot + "subtitles in another format than SubRip's; convert them to that"},
       {"{10}{40}ba be|bi\n{50}{90}bo\n", cannot + "subtitles of MicroDVD; convert them to SubRip's format"},
       {"%PDF-1.7\n", cannot + "a PDF document"}}));
  const std::string line = name.starts_with("has a segment") ? ":3: " : ":1: ", message = line + name,
                    model = trained() / "model.pt";
  place.write("text", beginning);
  REQUIRE(place.run_shell("gzip -k text").status == 0);
  for (const char* key : {"train.source", "train.target", "valid.source", "valid.target"}) {
    check_fails(preprocess(place, {std::string("data.") + key + "=text"}), 1, {"text" + message});
  }
  check_fails(preprocess(place, {"data.train.target=text.gz"}), 1, {"text.gz" + message});
  CHECK(!place.has("prepared/manifest.json"));
  check_fails(place.run({"translate", "--model", model, "--input", "text"}), 1, {"text" + message});
  check_fails(place.run({"translate", "--model", model}, beginning), 1, {"stdin" + message});
  check_fails(place.run({"score", "--model", model, "--source", "text", "--target", "valid.target"}), 1,
              {"text" + message});
  check_fails(place.run({"eval-bleu", "-i", "valid.target", "-r", "text"}), 1, {"text" + message});
  check_fails(place.run({"eval-bleu", "-i", "text.gz", "-r", "valid.target"}), 1, {"text.gz" + message});
}

namespace {

/// A file with all pairs of two texts, and the paths by which its sides are read.
struct PairFile {
  std::string text, name, source, target;
};

using WritePairs = PairFile (*)(const std::vector<std::string>& sources, const std::vector<std::string>& targets);

PairFile as_tmx(const std::vector<std::string>& sources, const std::vector<std::string>& targets) {
  std::string text = "<?xml version=\"1.0\"?>\n<tmx version=\"1.4\"><body>\n";
  for (size_t i = 0; i < sources.size(); ++i) {
    text += "<tu><tuv xml:lang=\"en-US\"><seg>" + sources[i] + "</seg></tuv>\n<tuv xml:lang=\"de\"><seg>\n " +
            targets[i] + "</seg></tuv></tu>\n";
  }
  return {text + "</body></tmx>\n", "memory.tmx", "memory.tmx#en", "memory.tmx#de"};
}

PairFile as_xliff(const std::vector<std::string>& sources, const std::vector<std::string>& targets) {
  std::string text = "<xliff version=\"1.2\"><file source-language=\"en\" target-language=\"de\"><body>\n";
  for (size_t i = 0; i < sources.size(); ++i) {
    text += "<trans-unit><source>" + sources[i] + "</source><target>" + targets[i] + "</target></trans-unit>\n";
  }
  return {text + "</body></file></xliff>\n", "pairs.xlf", "pairs.xlf#source", "pairs.xlf#de"};
}

PairFile as_json_lines(const std::vector<std::string>& sources, const std::vector<std::string>& targets) {
  std::string text;
  for (size_t i = 0; i < sources.size(); ++i) {
    text += R"({"translation": {"en": ")" + sources[i] + R"(", "de": ")" + targets[i] + "\"}}\n";
  }
  return {text, "pairs.jsonl", "pairs.jsonl#translation.en", "pairs.jsonl#translation.de"};
}

PairFile as_test_set(const std::vector<std::string>& sources, const std::vector<std::string>& targets) {
  std::string source, target;
  for (size_t i = 0; i < sources.size(); ++i) {
    const std::string begin = "<seg id=\"" + std::to_string(i) + "\">";
    source += begin + sources[i] + "</seg>";
    target += begin + targets[i] + "</seg>";
  }
  return {"<?xml version=\"1.0\"?>\n<dataset><doc><src lang=\"en\">" + source +
              "</src><ref lang=\"de\" translator=\"A\">" + target + "</ref></doc></dataset>\n",
          "set.xml", "set.xml#src", "set.xml#ref:A"};
}

}  // namespace

TEST_CASE("every format of pairs gives what its plain text gives, in every command that reads text") {
  const WritePairs write = GENERATE(as_tmx, as_xliff, as_json_lines, as_test_set);
  const Workplace place;
  const auto write_pairs = [&](const std::string& text) {
    const PairFile pairs = write(place.read_lines(text + ".source"), place.read_lines(text + ".target"));
    place.write(pairs.name, pairs.text);
    return pairs;
  };
  REQUIRE(preprocess(place, {"data.prepared=plain"}).status == 0);
  const PairFile train = write_pairs("train");
  REQUIRE(place.run_shell("gzip " + train.name).status == 0);
  const auto compressed = [](std::string path) { return path.insert(path.find('#'), ".gz"); };
  const Result prepared = preprocess(
      place, {"data.train.source=" + compressed(train.source), "data.train.target=" + compressed(train.target)});
  INFO(prepared.err);
  REQUIRE(prepared.status == 0);
  CHECK(place.have_same_bytes("prepared/train.bin", "plain/train.bin"));
  CHECK(place.have_same_bytes("prepared/vocabulary.model", "plain/vocabulary.model"));
  CHECK_THAT(preprocess(place, {"data.train.source=" + compressed(train.target),
                                "data.train.target=" + compressed(train.source)})
                 .err,
             Catch::Contains("preparing the data again"));  // the parts count in the manifest

  const std::string model = trained() / "model.pt";
  const PairFile valid = write_pairs("valid");
  const auto run = [&](const std::string& source, const std::string& target) {
    return only_output_of(place.run({"translate", "--quiet", "--model", model, "--input", source})) +
           output_of(place.run({"score", "--quiet", "--model", model, "--source", source, "--target", target})) +
           output_of(place.run({"eval-bleu", "-i", source, "-r", target, "--score-only"}));
  };
  CHECK(run(valid.source, valid.target) == run("valid.source", "valid.target"));
}

TEST_CASE("a part of stdin and of a pipe can be named, as the message says that lacks it") {
  const Workplace place;
  const PairFile memory = as_tmx(place.read_lines("valid.source"), place.read_lines("valid.target"));
  const std::vector<std::string> translate = {"translate", "--quiet", "--model", trained() / "model.pt"};
  const std::string expected = only_output_of(place.run(with(translate, {"-i", "valid.source"})));
  CHECK(only_output_of(place.run(with(translate, {"-i", "-#en"}), memory.text)) == expected);
  CHECK(only_output_of(place.run(with(translate, {"-i", "/dev/stdin#en"}), memory.text)) == expected);
  check_fails(place.run(translate, memory.text), 1,
              {"stdin:5: it has text in several languages (en-US, de)", "-#en-US"});
  check_fails(place.run(with(translate, {"-i", "-#fr"}), memory.text), 1, {"stdin:1: it has no text in 'fr'"});
}

TEST_CASE("a package of OPUS gives what its two texts give, in every command that reads text") {
  const Workplace place;
  const auto pack = [&](const std::string& text) {  // as OPUS does: README and LICENSE beside the texts, compressed
    const std::string name = text + ".de-en";
    REQUIRE(place
                .run_shell("cp " + text + ".source " + name + ".en && cp " + text + ".target " + name +
                           ".de && echo terms | tee README > LICENSE && python3 -m zipfile -c " + text +
                           ".zip README LICENSE " + name + ".de " + name + ".en")
                .status == 0);
  };
  pack("train");
  pack("valid");
  REQUIRE(preprocess(place, {"data.prepared=plain"}).status == 0);
  const std::string train_source = "data.train.source=train.zip#en", train_target = "data.train.target=train.zip#de";
  REQUIRE(preprocess(place, {train_source, train_target}).status == 0);
  CHECK(place.have_same_bytes("prepared/train.bin", "plain/train.bin"));
  CHECK(place.have_same_bytes("prepared/vocabulary.model", "plain/vocabulary.model"));
  CHECK_THAT(preprocess(place, {"data.train.source=train.zip#de", "data.train.target=train.zip#en"}).err,
             Catch::Contains("preparing the data again"));  // the languages count in the manifest
  const std::string model = trained() / "model.pt";
  const auto run = [&](const std::string& source, const std::string& target) {
    return only_output_of(place.run({"translate", "--quiet", "--model", model, "--input", source})) +
           output_of(place.run({"score", "--quiet", "--model", model, "--source", source, "--target", target})) +
           output_of(place.run({"eval-bleu", "-i", source, "-r", target, "--score-only"}));
  };
  CHECK(run("valid.zip#en", "valid.zip#de") == run("valid.source", "valid.target"));

  check_fails(preprocess(place, {train_source, "data.train.target=train.zip#fr"}), 1,
              {"train.zip:1: it has no text in 'fr', only de and en; name one of them, as in train.zip#de"});
  check_fails(preprocess(place, {"data.train.source=train.zip", train_target}), 1,
              {"train.zip:1: it has text in several languages (de and en); name the one to read, as in train.zip#de"});
  REQUIRE(place.run_shell("head -c 1000 train.zip > cut.zip").status == 0);
  check_fails(preprocess(place, {"data.train.source=cut.zip#en", train_target}), 1,
              {"cut.zip:1: cannot be read: the zip archive is damaged or of another kind ("});
  REQUIRE(place
              .run_shell("sed '$d' train.source > train.de-en.en && "
                         "python3 -m zipfile -c train.zip train.de-en.de train.de-en.en")
              .status == 0);
  check_fails(preprocess(place, {train_source, train_target}), 1,
              {"train.zip#en has ", "line n of both must belong to the same sentence"});
}

TEST_CASE("a language that a translation memory lacks, and units without a language, are reported") {
  const Workplace place;
  const PairFile pairs = as_tmx(place.read_lines("train.source"), place.read_lines("train.target"));
  std::string text = pairs.text;
  place.write("memory.tmx", text);
  check_fails(preprocess(place, {"data.train.source=memory.tmx#fr", "data.train.target=memory.tmx#de"}), 1,
              {"memory.tmx:1: it has no text in 'fr', only en-US, de; name one of them, as in memory.tmx#en-US"});
  check_fails(preprocess(place, {"data.train.source=memory.tmx", "data.train.target=memory.tmx#de"}), 1,
              {"it has text in several languages (en-US, de); name the one to read, as in memory.tmx#en-US"});
  const std::string german = "<tuv xml:lang=\"de\">";
  text.replace(text.find(german), german.size(), "<tuv xml:lang=\"nl\">");
  place.write("memory.tmx", text);
  const Result prepared = preprocess(place, {"data.train.source=memory.tmx#en", "data.train.target=memory.tmx#de"});
  CHECK(prepared.status == 0);
  CHECK_THAT(prepared.err, Catch::Contains("dropped 1 (1 empty"));
  CHECK_THAT(place.read("prepared/manifest.json"), Catch::Contains("memory.tmx#en:1"));
  // A unit in a unit, as opus_read writes it for a link of two sentences with two.
  std::string nested = text;
  nested.insert(nested.find("<tu>") + 4, "\n<tu><tuv xml:lang=\"en\"><seg>ba</seg></tuv></tu>\n");
  place.write("nested.tmx", nested);
  const std::string refused = ": has a unit in a unit, <tu> in the <tu> of line ";
  check_fails(preprocess(place, {"data.train.source=nested.tmx#en", "data.train.target=nested.tmx#de"}), 1,
              {"nested.tmx:", refused, "export the pairs anew, those of OPUS's corpora as Moses text"});
  place.write("short.tmx", as_tmx({"ba"}, {"be"}).text);
  check_fails(preprocess(place, {"data.train.source=memory.tmx#en", "data.train.target=short.tmx#de"}), 1,
              {"memory.tmx#en has 400 lines but short.tmx#de has 1"});
  const std::string model = trained() / "model.pt",
                    missing = "memory.tmx#de:1: 1 of 400 units has no text in 'de', this one first; ";
  CHECK_THAT(place.run({"translate", "--model", model, "--input", "memory.tmx#de", "--output", "out"}).err,
             Catch::Contains("warning: " + missing + "such a unit gives an empty line"));
  CHECK_THAT(place.run({"score", "--model", model, "--source", "memory.tmx#en", "--target", "memory.tmx#de"}).err,
             Catch::Contains("warning: " + missing + "such a pair was scored with an empty side"));
  check_fails(place.run({"translate", "--model", model, "--input", "nested.tmx#en", "--output", "out"}), 1,
              {"nested.tmx:", refused});
  check_fails(place.run({"score", "--model", model, "--source", "nested.tmx#en", "--target", "nested.tmx#de"}), 1,
              {"nested.tmx:", refused});
  place.write("a.ftl", "title = ba be\n");
  check_fails(preprocess(place, {"data.train.source=a.ftl"}), 1,
              {"a.ftl:1: cannot be read: it is a file of messages of Fluent; "});
}

TEST_CASE("text that is split into subwords already gets a warning with a command that joins the pieces") {
  const Workplace place;
  const auto [pieces, joined] =
      GENERATE(table<std::string, std::string>({{"\u2581ba \u2581b e \u2581bi", "ba be bi"},
                                                {"['\u2581ba', '\u2581b', \"e\", '\u2581bi']", "ba be bi"},
                                                {"ba b@@ e b@@ i", "ba be bi"},
                                                {"ba b \uFFEDe \uFFEDbi", "ba bebi"}}));
  const auto write_with = [&](const std::string& name, size_t num_split, size_t num_lines) {
    std::string text;
    for (size_t i = 0; i < num_lines; ++i) text += (i < num_split ? pieces : "ba be bo") + "\n";
    place.write(name, text);
  };
  const std::string begin = ":1: has '", counted = " lines have, so the text seems to be split into subwords already; ";
  write_with("split", 201, 400);
  const Result prepared = preprocess(place, {"data.train.source=split"});
  CHECK(prepared.status == 0);
  CHECK_THAT(prepared.err, Catch::Contains("warning: split" + begin) &&
                               Catch::Contains("', as 201 of 400" + counted + "it would be learned as it is"));
  write_with("few", 200, 400);
  CHECK_THAT(preprocess(place, {"data.train.target=few"}).err, !Catch::Contains("subwords already"));

  const std::string model = trained() / "model.pt";
  write_with("text", 20, 20);
  const auto warning = [&](const std::string& consequence) {
    return Catch::Contains("', as 20 of 20" + counted + consequence);
  };
  CHECK_THAT(place.run({"translate", "--model", model, "--input", "text"}).err, warning("it was translated as it is"));
  CHECK_THAT(place.run({"score", "--model", model, "--source", "text", "--target", "valid.target"}).err,
             warning("it was scored as it is"));
  CHECK_THAT(place.run({"eval-bleu", "-i", "text", "-r", "valid.target"}).err, warning("it is scored as it is"));
  CHECK_THAT(place.run({"eval-bleu", "-i", "valid.target", "-r", "text"}).err, warning("it is scored as it is"));

  const std::string before = "join the pieces first, with `";
  const size_t command = prepared.err.find(before) + before.size(), end = prepared.err.find('`', command);
  REQUIRE(end != std::string::npos);
  CHECK(place.run_shell("head -n 1 text | " + prepared.err.substr(command, end - command)).out == joined + "\n");
}

TEST_CASE("text in columns gets a warning in every command, whatever its name") {
  const Workplace place;
  REQUIRE(place.run_shell("paste valid.source valid.target > pairs; cp pairs pairs.tsv").status == 0);
  const std::string model = trained() / "model.pt";
  const auto warning = [&](const std::string& consequence) {
    return Catch::Contains("warning: pairs:1: most lines contain a tab (20 of 20); it " + consequence +
                           ": if they are columns, give the file a name that ends in .tsv and name the column");
  };
  CHECK_THAT(place.run({"translate", "--model", model, "--input", "pairs"}).err, warning("was translated as it is"));
  CHECK_THAT(place.run({"score", "--model", model, "--source", "valid.source", "--target", "pairs"}).err,
             warning("was scored as it is"));
  CHECK_THAT(place.run({"eval-bleu", "-i", "pairs", "-r", "valid.target"}).err, warning("is scored as it is"));
  CHECK_THAT(place.run({"eval-bleu", "-i", "valid.target", "-r", "pairs"}).err, warning("is scored as it is"));
  // Of a .tsv file, one message is enough.
  CHECK_THAT(place.run({"translate", "--model", model, "--input", "pairs.tsv"}).err,
             Catch::Contains("pairs.tsv: is read as one text") && !Catch::Contains("most lines"));
  CHECK_THAT(place.run({"translate", "--model", model, "--input", "pairs.tsv#1"}).err, !Catch::Contains("tab"));
  CHECK_THAT(preprocess(place, {"data.valid.source=pairs.tsv"}).err,
             Catch::Contains("pairs.tsv:1: most lines contain a tab (20 of 20); it would be used as it is: if"));
  const std::vector<std::string> test = {"data.test.source=pairs", "data.test.target=valid.target"};
  CHECK_THAT(preprocess(place, with(test, {"data.prepared=other"})).err, warning("would be used as it is"));
  REQUIRE(preprocess(place, {"data.prepared=third"}).status == 0);
  const Result compared_later = preprocess(place, with(test, {"data.prepared=third"}));
  CHECK_THAT(compared_later.err, Catch::Contains("prepared already") && warning("would be used as it is"));
}

TEST_CASE("a column of scores that is taken for one of sentences gets a warning") {
  const Workplace place;
  REQUIRE(place.run_shell("seq 1.001 0.001 1.4 | paste - train.source train.target > scored.tsv").status == 0);
  const Result result = preprocess(place, {"data.train.source=scored.tsv#1", "data.train.target=scored.tsv#2"});
  CHECK_THAT(result.err,
             Catch::Contains("warning: scored.tsv#1: 400 of 400 lines are numbers, as in a column of scores, "
                             "and those of scored.tsv#2 are not; give the column that has the sentences"));
  CHECK_THAT(preprocess(place, {"data.train.source=scored.tsv#2", "data.train.target=scored.tsv#3"}).err,
             !Catch::Contains("numbers"));
}

TEST_CASE("text without the tags of the training text gets a warning") {
  const Workplace place;
  std::vector<std::string> arguments = tagged_training(place);
  const std::string warning =
      ": does not begin with <x> or <y>, the first of 20 such lines; every source line of the "
      "training text began with one of these tags, so write it before each line";
  const Result training = place.train(arguments);
  INFO(training.err);
  REQUIRE(training.status == 0);
  CHECK_THAT(training.err, Catch::Contains("warning: valid.source:1" + warning));
  const auto translate = [&](const std::string& input) {
    return place.run({"translate", "--model", "run", "--input", input}).err;
  };
  CHECK_THAT(translate("valid.source"), Catch::Contains("warning: valid.source:1" + warning));
  CHECK_THAT(place.run({"score", "--model", "run", "--source", "valid.source", "--target", "valid.target"}).err,
             Catch::Contains("warning: valid.source:1" + warning));
  REQUIRE(place.run_shell("sed 's/^/<y> /; 7s/.*//' valid.source > tagged").status == 0);
  CHECK_THAT(translate("tagged"), !Catch::Contains("does not begin with"));
  // Sentences and parts of one line have the line's tag.
  const auto output = [&](const std::string& input, const std::vector<std::string>& options) {
    return lines_of(output_of(place.run(with({"translate", "--model", "run"}, options), input)));
  };
  const auto parts = output("<y> ba be.\n<y> Du do.\n<y> ku\n", {});
  CHECK(output("<y> ba be. Du do.\n", {"--split", "sentences"}) == std::vector{parts[0] + " " + parts[1]});
  CHECK(output("<y> ba be. {du} ku\n", {"--protect"}) == std::vector{parts[0] + " {du} " + parts[2]});
  // Where one corpus has no tag, as with back-translated text, no line needs one.
  arguments.back() = "data.train.tag=[<x>, \"\"]";
  arguments.push_back("--overwrite");
  CHECK_THAT(place.train(arguments).err, !Catch::Contains("does not begin with"));
  CHECK_THAT(translate("valid.source"), !Catch::Contains("does not begin with"));
}

TEST_CASE("translate and score put a tag before the lines and segments that begin with none") {
  const Workplace place;
  REQUIRE(place.train(tagged_training(place)).status == 0);
  const auto run = [&](const std::vector<std::string>& command, const std::string& tag) {
    return place.run(with(command, {"--model", "run", "--quiet", "--tag", tag}));
  };
  place.write("target", "al el\nol\n\nul\n");
  place.write("tagged", "<y> ba be.\n<y> Du do.\n\n<x> ku\n");
  place.write("mixed", "ba be.\n<y> Du do.\n\n<x> ku\n");
  for (const std::vector<std::string>& command : {std::vector<std::string>{"translate", "--word-scores", "--input"},
                                                  {"score", "--target", "target", "--source"}}) {
    const std::string expected = output_of(place.run(with(command, {"tagged", "--model", "run"})));
    const auto mixed = with(command, {"mixed"});
    CHECK(output_of(run(mixed, "<y>")) == expected);
    CHECK(output_of(run(mixed, "<x>")) != expected);
    check_fails(run(mixed, "<z>"), 2, {"--tag <z>: is no tag of the model; give <x> or <y>"});
    check_fails(run(mixed, ""), 2, {"--tag \"\": must be a single word"});
  }

  const auto lines =
      lines_of(output_of(place.run({"translate", "--model", "run"}, "<y> ba be.\n<y> Du do.\n<y> ku\n")));
  place.write("text", "ba be. Du do.\n");
  CHECK(output_of(run({"translate", "--input", "text", "--split", "sentences"}, "<y>")) ==
        lines[0] + " " + lines[1] + "\n");
  place.write("text", "ba be. {du} ku\n");
  const Result around_placeholder = run({"translate", "--input", "text", "--protect"}, "<y>");
  CHECK(output_of(around_placeholder) == lines[0] + " {du} " + lines[2] + "\n");
  CHECK_THAT(around_placeholder.err, !Catch::Contains("does not begin with"));
  place.write("text", "# ba be.\n\n- Du do.\n");
  CHECK(output_of(run({"translate", "--input", "text", "--format", "document"}, "<y>")) ==
        "# " + lines[0] + "\n\n- " + lines[1] + "\n");
  // The words of a line count from its first, without the tag.
  const auto alignment_of = [&](const std::string& line, const std::vector<std::string>& more) {
    const Result result = place.run(
        with({"translate", "--model", "run", "--word-alignment", "--alignment", "--format", "jsonl"}, more), line);
    return parse_json(output_of(result));
  };
  const Json own = alignment_of("<y> ba be\n", {}), chosen = alignment_of("ba be\n", {"--tag", "<y>"});
  CHECK(chosen.at("source_pieces") == own.at("source_pieces"));
  const Json &of_own = own.at("translations").at(0), &of_chosen = chosen.at("translations").at(0);
  CHECK(of_chosen.at("alignment") == of_own.at("alignment"));
  Json expected = Json::array();
  for (const Json& pair : of_own.at("word_alignment")) {
    if (pair.at(0) > 0) expected.push_back({pair.at(0).get<int64_t>() - 1, pair.at(1)});
  }
  CHECK(of_chosen.at("word_alignment") == expected);

  check_fails(trained().run({"translate", "--model", "model.pt", "--tag", "<y>"}, "ba\n"), 2,
              {"--tag <y>: the model has no tags, and its vocabulary no piece for this word; "});
}

TEST_CASE("the tags of an imported model are the target languages of its vocabulary") {
  const Workplace place;
  REQUIRE(place.run({"import", kRepository / "tests/golden/import/marianmt", "-o", "imported"}).status == 0);
  place.write("own", ">>fra<< A man.\n>>deu<< A man.\n\n");
  place.write("mixed", "A man.\n>>deu<< A man.\n\n");
  const auto translate = [&](const std::vector<std::string>& more) {
    return place.run(with({"translate", "--model", "imported", "--word-scores"}, more));
  };
  CHECK(output_of(translate({"--input", "mixed", "--tag", ">>fra<<"})) == output_of(translate({"--input", "own"})));
  check_fails(translate({"--input", "mixed", "--tag", "fra"}), 2,
              {"--tag fra: is no tag of the model; give >>deu<< or >>fra<<"});
}

TEST_CASE("translations that are empty though their lines are not are counted") {
  const Workplace place;
  for (const auto& [name, line] : {std::pair("train.source", "zu zu"), std::pair("train.target", " ")}) {
    auto lines = place.read_lines(name);
    for (size_t i = 0; i < lines.size(); i += 4) lines[i] = line;
    place.write(name, text_of(lines));
  }
  // A vocabulary that keeps blanks, so that a translation can consist of them.
  REQUIRE(place
              .run_shell("spm_train --input=train.source,train.target --model_prefix=own --vocab_size=60 "
                         "--model_type=bpe --remove_extra_whitespaces=false --hard_vocab_limit=false --minloglevel=2")
              .status == 0);
  const Result training = place.train({"--set", "data.vocabulary=own.model"});
  INFO(training.err);
  REQUIRE(training.status == 0);
  const Result result = place.run({"translate", "--model", "run"}, "ba be bi\n\nzu zu\nzu zu\n");
  CHECK_THAT(result.err, Catch::Contains("warning: stdin:3: its translation is empty, the first of 2 such lines"));
}

TEST_CASE("eval-bleu warns if only one of its texts has the escapes of Moses' tokenizer") {
  const Workplace place;
  place.write("plain", "it 's \"a\" b c\nd e f g\n");
  place.write("escaped", "it &apos;s &quot; a &quot; b c\nd e f g\n");
  const std::string warning =
      "warning: escaped:1: has &apos; or another escape of Moses' tokenizer, the only such line, "
      "and plain has the characters themselves; scored as it is";
  CHECK_THAT(place.run({"eval-bleu", "-i", "escaped", "-r", "plain"}).err, Catch::Contains(warning));
  CHECK_THAT(place.run({"eval-bleu", "-i", "plain", "-r", "escaped"}).err, Catch::Contains(warning));
  CHECK_THAT(place.run({"eval-bleu", "-i", "escaped", "-r", "escaped"}).err, !Catch::Contains("escape"));
}

TEST_CASE("plain text with lines of markup, a part of HTML and text with other line ends are not taken for sentences") {
  const Workplace place;
  const std::string model = trained() / "model.pt";
  const auto translate = [&](const std::string& text) {
    return place.run({"translate", "--model", model, "--quiet"}, text);
  };
  const std::string wiki = "<doc id=\"12\" title=\"A\">\nba be\n</doc>\n",
                    remedy = "remove these lines, for example with";
  check_fails(translate(wiki), 1, {"stdin:2: has text outside of its segments", remedy});
  place.write("wiki", wiki);
  check_fails(preprocess(place, {"data.train.source=wiki"}), 1, {"wiki:2: has text outside of its segments", remedy});
  check_fails(translate("<mteval>\n</mteval>\n"), 1, {"stdin:1: it begins like a test set", "but has none"});
  check_fails(translate("<div class=\"a\">ba be</div>\n"), 1, {"stdin:1: cannot be read: it is HTML"});
  check_fails(translate("msgid \"ba\"\nmsgstr \"\"\n"), 1, {"cannot be read: it is a catalog of messages of gettext"});
  const Result lines = place.run({"translate", "--model", model}, "ba be\rbo\rbi\r");
  CHECK(lines.status == 0);
  CHECK_THAT(lines.err, Catch::Contains("warning: stdin:1: has carriage returns inside of the line") &&
                            Catch::Contains("`tr '\\r' '\\n'`"));
}

TEST_CASE("validation and average-checkpoints say once that they translate the beginning of a long line only") {
  const Workplace place;
  std::string line;
  for (int i = 0; i < 1200; ++i) line += "ba ";
  place.write("long.source", place.read("valid.source") + line + "\n");
  place.write("long.target", place.read("valid.target") + "be\n");
  const std::string warning =
      "warning: long.source:21: has too many pieces, the only such line; validation translates "
      "only the beginning";
  const auto says_it_once = [&](const Result& result) {
    INFO(result.err);
    CHECK(result.status == 0);
    const size_t found = result.err.find(warning);
    CHECK(found != std::string::npos);
    CHECK(result.err.find(warning, found + 1) == std::string::npos);
  };
  says_it_once(place.train({"--set", "data.valid.source=long.source", "--set", "data.valid.target=long.target", "--set",
                            "training.train_steps=4", "--set", "training.validate_every=2", "--set",
                            "training.checkpoint_every=2"}));
  says_it_once(place.run({"average-checkpoints", "run", "--output", "average.safetensors"}));
}

TEST_CASE("text that only resembles markup is text") {
  const Workplace place;
  place.write("text", GENERATE("<b>ba</b> be\n", "<2de> ba\n", "<p>\nba\nbe\n", "{\"ba\", be}\n", "PK ba be\n",
                               "[1] ba\n", "{ ba: be }\n", "<\n"));
  CHECK(place.run({"translate", "--model", trained() / "model.pt", "--input", "text", "--quiet"}).status == 0);
  place.write("pairs.tsv", "{\"id\": 1}\tba be\n");
  CHECK(place.run({"translate", "--model", trained() / "model.pt", "--input", "pairs.tsv#2", "--quiet"}).status == 0);
}

TEST_CASE("pairs that several of training, validation and test text have are counted as the model sees them") {
  const Workplace place;
  const auto copy = [&](const std::string& from, const std::string& to, size_t num_lines, const std::string& end) {
    for (const std::string side : {".source", ".target"}) {
      auto lines = place.read_lines(from + side);
      lines.resize(num_lines);
      std::string text;
      for (const std::string& line : lines) text += line + end + "\n";
      place.write(to + side, text);
    }
  };
  const auto overlap = [](const std::string& text, const std::string& count, const std::string& other) {
    return Catch::Contains("warning: " + text + ".source, " + text + ".target: " + count + " pairs are in " + other +
                           ", too, so that scores on them say little about other text");
  };
  CHECK_THAT(preprocess(place).err, !Catch::Contains("too, so that scores"));
  copy("train", "copy", 200, " ");
  const std::vector<std::string> validation = {"data.valid.source=copy.source", "data.valid.target=copy.target"};
  CHECK_THAT(preprocess(place, validation).err, overlap("copy", "200 of 200", "the training text"));
  copy("train", "copy", 50, "  \r");
  const std::vector<std::string> test = {"data.test.source=copy.source", "data.test.target=copy.target",
                                         "data.vocabulary_size=61"};
  CHECK_THAT(preprocess(place, test).err, overlap("copy", "50 of 50", "the training text"));
  CHECK_THAT(preprocess(place, test).err, !Catch::Contains("too, so that scores"));  // known already
  copy("train", "copy", 40, "");
  const Result compared_later = preprocess(place, test);
  CHECK_THAT(compared_later.err,
             Catch::Contains("prepared already") && overlap("copy", "40 of 40", "the training text"));
  copy("valid", "copy", 10, " ");
  place.write("rest.source", place.read("copy.source") + place.read("test.source"));
  place.write("rest.target", place.read("copy.target") + place.read("test.target"));
  const Result both =
      preprocess(place, {"data.test.source=rest.source", "data.test.target=rest.target", "data.vocabulary_size=62"});
  CHECK_THAT(both.err,
             overlap("valid", "10 of 20", "rest.source, rest.target") && !Catch::Contains("training text, too"));
  const Result sets = preprocess(place, {"data.valid.source=[valid.source, copy.source]",
                                         "data.valid.target=[valid.target, copy.target]", "data.valid.name=[a, b]"});
  CHECK_THAT(sets.err, overlap("copy", "10 of 10", "valid.source, valid.target"));
}

TEST_CASE("a test text that cannot be compared with the others is left out with a warning") {
  const Workplace place;
  place.write("test.target", "al\n");
  const Result result = preprocess(place);
  CHECK(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("warning: data.test: test.source has 100 lines but test.target has 1; ") &&
                             Catch::Contains("; not compared with the training and validation text"));
}

TEST_CASE("text in another language than the validation text, or shuffled against its other side, gets a warning") {
  const Workplace place;
  place.write("valid.source", place.read("test.source"));
  place.write("valid.target", translated(place.read("test.source"), "x"));
  place.write("train.target", translated(place.read("train.source"), "x"));
  const auto prepare = [&](const std::vector<std::string>& settings) {
    auto all = settings;
    all.insert(all.end(), {"data.vocabulary_size=80", "data.test.source=null", "data.test.target=null"});
    return preprocess(place, all).err;
  };
  const auto check_is_silent = [](const std::string& err) {
    CHECK_THAT(err, Catch::Contains("training corpus: ") && !Catch::Contains("pieces in common") &&
                        !Catch::Contains("long lines do not belong"));
  };
  check_is_silent(prepare({}));

  std::string other = place.read("train.source");
  for (char& c : other) c = c == ' ' || c == '\n' ? c : static_cast<char>("bdgkaeiou"[0] == c ? 'z' : c + 1);
  place.write("other", translated(other, "zz"));
  CHECK_THAT(prepare({"data.train.target=other"}),
             Catch::Contains("warning: other, valid.target: have only ") &&
                 Catch::Contains(" % of their pieces in common, where the other"));
  place.write("two.source", place.read("train.source") + place.read("train.source"));
  place.write("two.target", place.read("train.target") + place.read("other"));
  check_is_silent(prepare({"data.train.source=two.source", "data.train.target=two.target"}));
  check_is_silent(
      prepare({"data.train.source=[train.source, train.source]", "data.train.target=[other, train.target]"}));

  auto lines = place.read_lines("train.target");
  std::rotate(lines.begin(), lines.begin() + 1, lines.end());
  place.write("shifted", text_of(lines));
  CHECK_THAT(prepare({"data.train.target=shifted"}),
             Catch::Contains("warning: train.source, shifted: long lines do not belong to long lines") &&
                 Catch::Contains("check that line n of both belongs to the same sentence"));
  lines = place.read_lines("valid.target");
  std::rotate(lines.begin(), lines.begin() + 1, lines.end());
  place.write("shifted", text_of(lines));
  CHECK_THAT(prepare({"data.valid.target=shifted"}),
             Catch::Contains("warning: valid.source, shifted: long lines do not belong to long lines"));
}

TEST_CASE("training says once that a step takes a small corpus several times") {
  const Workplace place;
  for (const std::string name : {"train.source", "train.target"}) {
    auto lines = place.read_lines(name);
    lines.resize(50);
    place.write(name, text_of(lines));
  }
  const auto train = [&](const std::string& batch_tokens) {
    return place.train({"--overwrite", "--set", "training.train_steps=3", "--set", "data.vocabulary_size=50", "--set",
                        "training.batch_tokens=" + batch_tokens});
  };
  const Result large = train("25000");
  REQUIRE(large.status == 0);
  const std::string begin =
      "warning: training.batch_tokens: 25,000 are more than an epoch of the training text has, so "
      "that each step takes it 8.0 times and has ";
  const size_t warning = large.err.find(begin);
  REQUIRE(warning != std::string::npos);
  CHECK(large.err.find("warning: training.batch_tokens", warning + 1) == std::string::npos);
  const std::string remedy = "give a training.batch_tokens of ";
  const size_t at = large.err.find(remedy, warning) + remedy.size();
  const std::string tokens = large.err.substr(at, large.err.find(' ', at) - at);
  const Result small = train(tokens);
  REQUIRE(small.status == 0);
  CHECK_THAT(small.err, !Catch::Contains("warning: training.batch_tokens"));
  for (const std::string name : {"train.source", "train.target"}) {
    auto lines = place.read_lines(name);
    lines.resize(5);
    place.write(name, text_of(lines));
  }
  CHECK_THAT(train("10").err,
             Catch::Contains("warning: the training text has 5 pairs, fewer than a step takes at least"));
}

TEST_CASE("a path that begins with ~ is in the home directory, in a config and in options") {
  const Workplace place;
  REQUIRE(place.run_shell("mkdir home && mv train.source valid.target config.yaml home").status == 0);
  place.write("top.yaml", "extends: ~/config.yaml\ndata:\n  train: {source: ~/train.source}\n  prepared: ~/prepared\n");
  const std::string home = "HOME='" + place / "home" + "' \"$transformer\" ";
  REQUIRE(place.run_shell(home + "preprocess --config top.yaml --set 'data.valid.target=~/valid.target'").status == 0);
  CHECK(place.has("home/prepared/manifest.json"));
  place.write("home/rules.tsv", "41\t61\n");
  const auto with_rules =
      place.run_shell(home + "preprocess --config top.yaml --set 'data.valid.target=~/valid.target' " +
                      "--set 'data.normalization=~/rules.tsv'");
  INFO(with_rules.err);
  CHECK(with_rules.status == 0);
  CHECK(!place.has("~"));
  CHECK(place.run_shell(home + "eval-bleu '--hypothesis=~/valid.target' --reference '~/valid.target'").status == 0);
  CHECK(place.run_shell("HOME= \"$transformer\" eval-bleu '-i~/none' -r home/valid.target").status == 1);
}

TEST_CASE("a safetensors file of another program is refused by translate and import alike, without a circle") {
  const Workplace place;
  REQUIRE(place.run_shell("mkdir other").status == 0);
  const std::string header = R"({"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  std::string bytes(1, static_cast<char>(header.size()));
  bytes += std::string(7, '\0') + header + std::string(4, '\0');
  place.write("other/model.safetensors", bytes);
  check_fails(place.run({"translate", "--model", "other/model.safetensors"}), 1,
              {"other/model.safetensors: is a safetensors file of another program"});
  check_fails(
      place.run({"import", "--input", "other/model.safetensors", "-o", "model.pt"}), 1,
      {"other/model.safetensors: holds no model that can be imported; give a directory that `transformer export`"});
  check_fails(place.run({"import", "--input", "other", "-o", "model.pt"}), 1,
              {"other: holds no model that can be imported"});
  REQUIRE(place.run({"export", "--model", trained() / "model.pt", "-o", "own"}).status == 0);
  CHECK(place.run({"translate", "--model", "own/model.safetensors"}).status == 0);
  CHECK(place.run({"import", "--input", "own/model.safetensors", "-o", "model.pt"}).status == 0);
  CHECK(place.have_same_bytes("model.pt", trained() / "model.pt"));
}

}  // namespace transformer
