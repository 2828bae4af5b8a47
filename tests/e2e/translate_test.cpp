#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <thread>

#include "base/json.h"
#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

std::vector<std::string> with_model(const std::vector<std::string>& more) {
  return with({"translate", "--model", trained() / "model.pt", "--threads", "1", "--device", "cpu"}, more);
}

Result translate(const std::string& input, const std::vector<std::string>& more = {}) {
  const Workplace place;
  return place.run(with_model(more), input);
}

/// The translations of these lines.
std::vector<std::string> translations(const std::vector<std::string>& lines,
                                      const std::vector<std::string>& more = {}) {
  const Result result = translate(text_of(lines), more);
  INFO(result.err);
  REQUIRE(result.status == 0);
  return lines_of(result.out);
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

/// `translate` between two pipes, in a workplace that outlives it.
class Conversation {
 public:
  explicit Conversation(const Workplace& place, const std::vector<std::string>& options = {}) {
    process_ = place.start_shell("mkfifo in out; exec " + quoted(program(with_model(options))) + " < in > out");
    process_->wait_until("the pipes", [&] { return place.has("in") && place.has("out"); });
    in_.open(place / "in");
    out_.open(place / "out");
  }

  /// Sends these lines and waits for as many.
  std::vector<std::string> answer_to(const std::vector<std::string>& lines) {
    in_ << text_of(lines) << std::flush;
    std::vector<std::string> answers(lines.size());
    for (auto& answer : answers) REQUIRE(std::getline(out_, answer));
    return answers;
  }

  /// The program's exit status after the last line.
  int end() {
    in_.close();
    return process_->wait().status;
  }

 private:
  std::unique_ptr<Process> process_;
  std::ofstream in_;
  std::ifstream out_;
};

/// A command under sh that uses the trained model, in a new workplace whose `blank` holds 200,000 blank lines: more
/// output than a pipe takes unread, and no work.
Result translate_in_shell(const std::string& before, const std::string& after) {
  const Workplace place;
  place.write("blank", "ba be\n" + std::string(200000, '\n'));
  return place.run_shell(before + "\"$transformer\" translate --model '" + (trained() / "model.pt") +
                         "' --threads 1 --device cpu " + after);
}

}  // namespace

TEST_CASE("translate gives one line for one line, whatever is in it") {
  const std::string ordinary = "ba be bi";
  const std::vector<std::string> nasty = {
      "",                           // empty
      "   \t ",                     // blank
      "\r",                         // the blank line of a CRLF file
      "ba be bi\r",                 // CRLF
      std::string("ba\0 be\0", 7),  // NUL
      "\xFF\xFE ba \xC3",           // no UTF-8
      "ba be\xE2\x80\xA8"
      "bi",  // U+2028, a line separator to some
      "ba be\xC2\x85"
      "bi",  // U+0085, a next line to some
      "ba\x0B"
      "be\x0C"
      "bi",  // vertical tab, form feed
      "\xEF\xBB\xBF"
      "ba be",                           // byte order mark
      "\xF0\x9F\x99\x82 \xE6\xBC\xA2",   // characters that training never showed
      repeated("ba be bi bo bu ", 1000)  // 5,000 words
  };
  std::string input;
  for (const auto& line : nasty) input += ordinary + "\n" + line + "\n";
  input += ordinary;  // no newline at the end

  const Result result = translate(input, {"--beam-size", "1"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  const auto lines = lines_of(result.out);
  REQUIRE(lines.size() == 2 * nasty.size() + 1);
  // No line moved, and no line is another one's: every other line is the translation of the ordinary one.
  for (size_t i = 0; i < lines.size(); i += 2) CHECK(lines[i] == lines[0]);
  for (size_t i = 0; i < 3; ++i) CHECK(lines[2 * i + 1].empty());
  CHECK(lines[7] == lines[0]);  // CRLF changes nothing
  CHECK_THAT(result.err, Catch::Contains(":10: has a NUL byte, the only such line; NUL was read as a space") &&
                             Catch::Contains(":12: not UTF-8, the only such line"));
  for (size_t i = 3; i < nasty.size(); ++i) CHECK(!lines[2 * i + 1].empty());
  CHECK_THAT(result.err, Catch::Contains("warning: stdin:") && Catch::Contains(": not UTF-8, the only such line;"));
  CHECK_THAT(result.err, Catch::Contains(": has too many pieces, the only such line;"));
  CHECK_THAT(result.err, Catch::Contains("25 lines"));
}

TEST_CASE("translate of nothing is nothing") {
  const Result result = translate("");
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out.empty());
  CHECK(translate("\n").out == "\n");
}

TEST_CASE("translate gives the same lines whatever the batch size and the order") {
  auto lines = trained().read_lines("test.source");
  REQUIRE(lines.size() == 100);
  const auto expected = translations(lines);
  for (const char* size : {"1", "3", "1000"}) CHECK(translations(lines, {"--batch-size", size}) == expected);

  std::reverse(lines.begin(), lines.end());
  auto reversed = translations(lines);
  std::reverse(reversed.begin(), reversed.end());
  CHECK(reversed == expected);
}

TEST_CASE("translate takes the search's settings from the command line") {
  const auto lines = trained().read_lines("test.source");
  CHECK(translations(lines, {"--beam-size", "4", "--alpha", "0.6", "--max-extra-tokens", "50"}) ==
        translations(lines));  // the defaults
  CHECK(translations(lines, {"--beam-size", "1"}).size() == lines.size());
  CHECK(translations(lines, {"--beam-size", "50"}).size() == lines.size());  // nearly all of the vocabulary
  CHECK(translations(lines, {"--alpha", "0"}).size() == lines.size());
  CHECK(translations(lines, {"--max-extra-tokens", "0"}).size() == lines.size());
  // With an alpha of 0, a score is the log-probability.
  const auto scored = [&](const std::vector<std::string>& more) {
    return translations(lines, with({"--format", "jsonl"}, more));
  };
  const auto by_log_prob = scored({"--alpha", "0"}), by_score = scored({"--alpha", "1"});
  int different = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const Json log_prob = parse_json(by_log_prob[i]).at("translations")[0];
    CHECK(log_prob.at("score").get<double>() == Approx(log_prob.at("log_prob").get<double>()));
    const Json score = parse_json(by_score[i]).at("translations")[0];
    different += score.at("score") != score.at("log_prob") ? 1 : 0;
  }
  CHECK(different > 90);
  const auto sampled_bytes = [&](const std::string& max_extra_tokens) {
    return text_of(translations(lines, {"--sample", "--temperature", "5", "--max-extra-tokens", max_extra_tokens}))
        .size();
  };
  CHECK(2 * sampled_bytes("0") < sampled_bytes("50"));
}

TEST_CASE("translate counts and marks the translations that were cut at the length limit") {
  const std::string input = "ba be bi bo\n\nba\nba be bi\n";
  const Result cut = translate(input, {"--beam-size", "1", "--max-extra-tokens", "0", "--format", "jsonl"});
  INFO(cut.err);
  CHECK_THAT(cut.err, Catch::Contains("warning: stdin:1: its translation was cut at the length limit, the first of 3 "
                                      "such lines"));
  const auto reason = [](const std::string& line) {
    return parse_json(line).at("translations").at(0).at("finish_reason").get<std::string>();
  };
  const auto lines = lines_of(cut.out);
  REQUIRE(lines.size() == 4);
  for (const size_t i : {0, 2, 3}) CHECK(reason(lines[i]) == "length");
  CHECK(reason(lines[1]) == "stop");

  const Result whole = translate(input, {"--beam-size", "1", "--format", "jsonl"});
  CHECK_THAT(whole.err, !Catch::Contains("length limit"));
  for (const auto& line : lines_of(whole.out)) CHECK(reason(line) == "stop");
}

TEST_CASE("translate counts the lines and pieces that the vocabulary lacks") {
  const Result result = translate("ba be\nba 书 be 我想 bi\nbo\n买\n");
  INFO(result.err);
  CHECK_THAT(result.err, Catch::Contains("warning: stdin:2: has characters that the vocabulary lacks, the first of 2 "
                                         "such lines (3 unknown pieces); the model cannot tell them apart"));
  CHECK_THAT(translate("ba be\n").err, !Catch::Contains("vocabulary lacks"));
}

TEST_CASE("translate warns of a very large beam and of more threads than cores") {
  CHECK_THAT(translate("ba be\n", {"--beam-size", "101"}).err,
             Catch::Contains("warning: a beam of 101 hypotheses takes about 25 times the time"));
  const auto warning = [](int threads) {
    const std::string log = translate("ba be\n", {"--threads", std::to_string(threads)}).err;
    const size_t begin = log.find(fmt::format("warning: {} threads: ", threads));
    return begin == std::string::npos ? "" : log.substr(begin);
  };
  const std::string many = warning(static_cast<int>(std::thread::hardware_concurrency()) + 1);
  REQUIRE_FALSE(many.empty());
  const int num_processors = std::stoi(many.substr(many.find("threads: ") + 9));
  CHECK(num_processors > 0);
  CHECK(num_processors <= static_cast<int>(std::thread::hardware_concurrency()));
  CHECK_THAT(warning(num_processors + 1), Catch::Contains(fmt::format("{} processor", num_processors)));
  CHECK(warning(num_processors).empty());
}

TEST_CASE("translate reads compressed text and writes files") {
  const Workplace place;
  REQUIRE(place.run_shell("gzip test.source").status == 0);
  const Result result = place.run(with_model({"--input", "test.source.gz", "--output", "translated"}));
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK(place.read_lines("translated") == translations(trained().read_lines("test.source")));
}

TEST_CASE("translate writes compressed files where their name says so") {
  const Workplace place;
  const Result result = place.run(with_model({"-i", "test.source", "-o", "translated.gz"}));
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK(lines_of(place.run_shell("gunzip < translated.gz").out) == translations(trained().read_lines("test.source")));
}

TEST_CASE("translate gives several translations of a line with their scores, as text and as JSON") {
  const std::vector<std::string> lines = {"ba be bi", "", "bo"};
  const auto best = translations(lines);
  const auto nbest = translations(lines, {"--nbest", "3", "--format", "nbest", "--word-scores"});
  REQUIRE(nbest.size() == 7);  // a blank line has one
  CHECK_THAT(nbest[0], Catch::StartsWith("0 ||| " + best[0] + " ||| -"));
  CHECK_THAT(nbest[2], Catch::StartsWith("0 ||| "));
  CHECK_THAT(nbest[3], Catch::StartsWith("1 |||  ||| "));
  CHECK_THAT(nbest[4], Catch::StartsWith("2 ||| " + best[2] + " ||| -"));

  const auto objects = translations(lines, {"--nbest", "2", "--format", "jsonl"});
  REQUIRE(objects.size() == 3);
  const Json first = parse_json(objects[0]);
  CHECK(first.at("line") == 1);
  const auto& found = first.at("translations");
  REQUIRE(found.size() == 2);
  CHECK(found[0].at("text") == best[0]);
  CHECK(found[0].at("score") >= found[1].at("score"));
  double sum = 0;
  for (const Json& part : found[0].at("piece_log_probs")) sum += part.get<double>();
  CHECK(sum == Approx(found[0].at("log_prob").get<double>()).margin(1e-4));
  CHECK(found[0].at("pieces").size() == found[0].at("piece_log_probs").size());

  const auto scored = translations(lines, {"--scores"});
  CHECK_THAT(scored[0], Catch::StartsWith(best[0] + "\t-"));
}

TEST_CASE("translate gives the same with any number of workers, and nearly the same in fewer bits") {
  const auto lines = trained().read_lines("test.source");
  const auto fp32 = translations(lines);
  CHECK(translations(lines, {"--workers", "3", "--batch-size", "5"}) == fp32);
  for (const char* precision : {"bf16", "int8"}) {
    INFO(precision);
    const auto found = translations(lines, {"--precision", precision});
    REQUIRE(found.size() == fp32.size());
    size_t same = 0;
    for (size_t i = 0; i < lines.size(); ++i) same += found[i] == fp32[i] ? 1 : 0;
    CHECK(same * 10 >= lines.size() * 8);
  }
  const auto int8 = translations(lines, {"--precision", "int8"});
  CHECK(translations(lines, {"--precision", "int8", "--batch-size", "1"}) == int8);
}

TEST_CASE("translate tells which source piece each piece of a translation attends to") {
  const std::vector<std::string> lines = {"ba be bi", "", "bo"};
  const auto best = translations(lines);
  const auto objects = translations(lines, {"--alignment", "--format", "jsonl"});
  const auto texts = translations(lines, {"--alignment"});
  REQUIRE(objects.size() == 3);
  for (size_t i = 0; i < lines.size(); ++i) {
    const Json line = parse_json(objects[i]);
    const Json& found = line.at("translations").at(0);
    const Json& pairs = found.at("alignment");
    const auto num_pieces = found.at("pieces").size();
    CHECK(pairs.size() == (lines[i].empty() ? 0 : num_pieces - 1));  // the end symbol has none
    std::string source;
    for (const Json& piece : line.at("source_pieces")) source += piece.get<std::string>();
    CHECK(source == (lines[i].empty() ? "" : "▁" + std::regex_replace(lines[i], std::regex(" "), "▁")));
    std::string text;
    for (size_t t = 0; t < pairs.size(); ++t) {
      const Json& pair = pairs[t];
      CHECK(pair.at(0) < line.at("source_pieces").size());
      CHECK(pair.at(1) == t);
      text += (t == 0 ? "" : " ") + json_text(pair.at(0)) + "-" + std::to_string(t);
    }
    CHECK(texts[i] == best[i] + "\t" + text);
  }
}

TEST_CASE("a run directory is a model, and a file of another kind is named as such") {
  const Workplace place(trained());
  const auto translate = [&](const std::string& model) {
    return place.run({"translate", "--model", model, "--input", "test.source", "--device", "cpu"});
  };
  const Result newest = translate("run");
  CHECK_THAT(newest.err, Catch::Contains("run: using run/" + checkpoint_name(kLastStep).substr(4)));
  CHECK(newest.out == translate(checkpoint_name(kLastStep)).out);
  std::filesystem::copy_file(place / "model.pt", place / "run/averaged.safetensors");
  const Result averaged = translate("run");
  CHECK_THAT(averaged.err, Catch::Contains("run: using run/averaged.safetensors"));
  CHECK(averaged.out == translate("model.pt").out);

  check_fails(translate("prepared"), 1, {"prepared: is a directory with neither averaged.safetensors nor checkpoints"});
  check_fails(translate("config.yaml"), 1, {"config.yaml: is a config; give a model file or a run directory"});
  check_fails(translate("prepared/vocabulary.model"), 1, {"vocabulary.model: is a vocabulary"});
  check_fails(translate("test.source"), 1,
              {"test.source: is text; give a model file, a checkpoint or a run directory"});
  REQUIRE(place.run({"export", "--model", "run", "-o", "exported"}).status == 0);
  CHECK(translate("exported/model.safetensors").out == averaged.out);
  CHECK(translate("exported").out == averaged.out);
}

TEST_CASE("benchmark translate measures the work that it is told to do") {
  const Workplace place;
  const Result result =
      place.run({"benchmark", "translate", "--model", trained() / "model.pt", "--input", "test.source", "--lines", "9",
                 "--rounds", "1", "--output-tokens", "7", "--precision", "int8", "--workers", "2", "--json"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  const Json found = parse_json(result.out);
  CHECK(found.at("lines") == 9);
  CHECK(found.at("output_tokens") == 63);
  CHECK(found.at("output_tokens_per_second") > 0);
  CHECK(found.at("peak_memory_bytes") > 1000000);
}

TEST_CASE("translate's scores are those that `score` gives the same pairs") {
  const Workplace place;
  const auto lines = trained().read_lines("test.source");
  place.write("out", text_of(translations(lines)));
  const auto scored = translations(lines, {"--scores", "--length-penalty", "none"});
  const Result result = place.run(
      {"score", "--model", trained() / "model.pt", "--source", "test.source", "--target", "out", "--device", "cpu"});
  REQUIRE(result.status == 0);
  const auto log_probs = lines_of(result.out), ours = translations(lines);
  int compared = 0;  // where the length penalty changes nothing
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string score = scored[i].substr(scored[i].find('\t') + 1);
    if (!scored[i].starts_with(ours[i] + "\t")) continue;
    CHECK(std::stod(score) == Approx(std::stod(log_probs[i])).margin(2e-3));
    ++compared;
  }
  CHECK(compared > 50);
}

TEST_CASE("translate begins each output with its forced prefix") {
  const auto lines = trained().read_lines("test.source");
  const Workplace place;
  std::string prefixes;
  for (size_t i = 0; i < lines.size(); ++i) prefixes += i % 2 == 0 ? "us\n" : "\n";
  place.write("prefixes", prefixes);
  const auto begun = place.run(with_model({"--prefix", "prefixes"}), text_of(lines));
  INFO(begun.err);
  REQUIRE(begun.status == 0);
  const auto outputs = lines_of(begun.out), free = translations(lines);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i % 2 == 0) CHECK_THAT(outputs[i], Catch::StartsWith("us"));
    if (i % 2 == 1) CHECK(outputs[i] == free[i]);
  }
}

TEST_CASE("the translation of a blank line is its forced prefix") {
  const Workplace place;
  place.write("prefixes", "us al\n\nus\n");
  const auto begun = place.run(with_model({"--prefix", "prefixes"}), "\n\nba be\n");
  INFO(begun.err);
  REQUIRE(begun.status == 0);
  const auto outputs = lines_of(begun.out);
  CHECK(outputs.at(0) == "us al");
  CHECK(outputs.at(1).empty());
  CHECK_THAT(outputs.at(2), Catch::StartsWith("us"));
}

TEST_CASE("samples of translate depend only on the seed and the line") {
  const auto lines = trained().read_lines("test.source");
  const auto drawn = translations(lines, {"--sample", "--seed", "5"});
  CHECK(translations(lines, {"--sample", "--seed", "5", "--batch-size", "3"}) == drawn);
  CHECK(translations(lines, {"--sample", "--seed", "6", "--temperature", "3"}) != drawn);
  CHECK(translations(lines, {"--sample", "--top-k", "1"}) == translations(lines, {"--beam-size", "1"}));
}

TEST_CASE("translate with several models searches with the mean of their probabilities") {
  const auto lines = trained().read_lines("test.source");
  CHECK(translations(lines, {"--model", trained() / "model.pt"}) == translations(lines));  // twice the same one
  const auto command = [](const std::string& first, const std::string& second) {
    return std::vector<std::string>{"translate",        "--model",  trained() / first, "--model",
                                    trained() / second, "--scores", "--device",        "cpu"};
  };
  const std::string earlier = "run/checkpoints/step-00000150.safetensors";
  const Workplace place;
  const auto together = output_of(place.run(command("model.pt", earlier), text_of(lines)));
  CHECK(together == output_of(place.run(command(earlier, "model.pt"), text_of(lines))));
  for (const std::string& one : {std::string("model.pt"), earlier}) {
    CHECK(together != output_of(place.run(command(one, one), text_of(lines))));
  }
}

TEST_CASE("translate reads stdin in a directory that has a folder named -") {
  const Workplace place;
  REQUIRE(place.run_shell("mkdir ./-").status == 0);
  const Result result = place.run(with_model({}), "ba\n");
  INFO(result.err);
  CHECK(result.status == 0);
}

TEST_CASE("translate names options that do not go together, and files that do not fit") {
  const Workplace place;
  check_fails(place.run(with_model({"--nbest", "2"}), "ba\n"), 2, {"--nbest 2", "--format"});
  check_fails(place.run(with_model({"--nbest", "9", "--format", "jsonl"}), "ba\n"), 2, {"--nbest 9", "--beam-size"});
  check_fails(place.run(with_model({"--sample", "--nbest", "2", "--format", "nbest"}), "ba\n"), 2, {"--sample"});
  check_fails(place.run(with_model({"--format", "xml"}), "ba\n"), 2, {"--format"});
  check_fails(place.run(with_model({"--sample", "--beam-size", "2"}), "ba\n"), 2, {"--beam-size excludes --sample"});
  check_fails(place.run(with_model({"--temperature", "2"}), "ba\n"), 2, {"--temperature requires --sample"});
  check_fails(place.run(with_model({"--trees", "--no-trees"}), "ba\n"), 2, {"--trees excludes --no-trees"});
  place.write("one", "us\n");
  check_fails(place.run(with_model({"--prefix", "one"}), "ba\nbe\n"), 1,
              {"one: ends after line 1, but stdin has more lines"});
  check_fails(place.run(with_model({"--prefix", "one"}), ""), 1, {"stdin: ends after line 0, but one has more lines"});
  place.write("foreign", "us \xE4\xBD\xA0\n");
  check_fails(place.run(with_model({"--prefix", "foreign"}), "ba\n"), 1,
              {"foreign:1: has '\xE4\xBD\xA0', which the model's vocabulary lacks"});
  std::string words;
  for (int i = 0; i < 1100; ++i) words += "us ";
  place.write("long", "us\n" + words + "\n");
  check_fails(place.run(with_model({"--prefix", "long"}), "ba\nbe\n"), 1,
              {"long:2: has more than 1,023 pieces or 65,536 bytes"});
  check_fails(place.run(with_model({"--top-k", "3"}), "ba\n"), 2, {"--top-k", "--sample"});
  check_fails(place.run(with_model({"--prefix", "-"}), "ba\n"), 2, {"'-' is given for more than one file"});
  for (const std::string format : {"jsonl", "nbest"}) {
    check_fails(place.run(with_model({"--scores", "--format", format}), "ba\n"), 2, {"--scores"});
  }
  check_fails(place.run(with_model({"--word-scores", "--format", "jsonl"}), "ba\n"), 2, {"--word-scores"});
}

TEST_CASE("translate keeps the order, the numbers and the prefixes of the lines of several blocks") {
  const auto text = trained().read_lines("test.source");
  const auto alone = translations(text, {"--beam-size", "1"});
  // A block has 4,096 lines.
  std::vector<std::string> lines, prefixes(4200);
  for (size_t i = 0; i < prefixes.size(); ++i) lines.push_back(text[i % text.size()]);
  lines[4149] = "\xFF";
  for (size_t i = 4090; i < 4100; ++i) prefixes[i] = i % 2 == 0 ? "us" : "al";
  const Workplace place;
  place.write("lines", text_of(lines));
  place.write("prefixes", text_of(prefixes));
  const Result result =
      place.run(with_model({"--input", "lines", "--prefix", "prefixes", "--beam-size", "1", "--format", "jsonl"}));
  INFO(result.err);
  REQUIRE(result.status == 0);
  const auto objects = lines_of(result.out);
  REQUIRE(objects.size() == lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const Json found = parse_json(objects[i]);
    CHECK(found.at("line") == i + 1);
    const std::string translation = found.at("translations").at(0).at("text");
    if (!prefixes[i].empty()) {
      CHECK_THAT(translation, Catch::StartsWith(prefixes[i]));
    } else if (i != 4149) {
      CHECK(translation == alone[i % text.size()]);
    }
  }
  CHECK_THAT(result.err, Catch::Contains("lines:4150: not UTF-8, the only such line;"));
}

TEST_CASE("an n-best list counts the lines of all blocks") {
  std::vector<std::string> lines(4100);
  lines.back() = "ba be";
  const auto found = translations(lines, {"--nbest", "2", "--format", "nbest"});
  CHECK_THAT(found.at(4098), Catch::StartsWith("4098 ||| "));
  CHECK_THAT(found.at(4100), Catch::StartsWith("4099 ||| "));
}

TEST_CASE("a sample depends on the number of its line, not on the block in which it is translated") {
  std::vector<std::string> lines(4090);
  lines.resize(4110, "ba be bi bo bu");
  const std::vector<std::string> options = {"--sample", "--temperature", "3"};
  const auto samples = translations(lines, options);

  // The first line, whose answer is read before the others are written, is a block of its own.
  const Workplace place;
  Conversation conversation(place, options);
  std::vector<std::string> answers = {conversation.answer_to({""}).front()};
  const std::vector<std::string> others(lines.begin() + 1, lines.end());
  for (const auto& answer : conversation.answer_to(others)) answers.push_back(answer);
  CHECK(conversation.end() == 0);
  CHECK(answers == samples);
}

TEST_CASE("a program that links the inference library alone translates from four threads as translate does") {
  const Workplace& place = trained();
  const std::string expected = output_of(place.run({"translate", "--model", "model.pt", "--input", "test.source"}));
  const Result result =
      place.run_shell(quoted(std::vector<std::string>{TRANSLATE_IN_THREADS, "model.pt"}) + " < test.source");
  CHECK(only_output_of(result) == expected);
}

TEST_CASE("translate answers a pipe line by line") {
  const Workplace place;
  Conversation conversation(place);
  for (const char* line : {"", "ba be", "bi", ""}) {
    CHECK(conversation.answer_to({line}) == translations({line}));  // before anything more is sent
  }
  CHECK(conversation.end() == 0);
}

TEST_CASE("translate whose reader has gone says so and fails") {
  const Result result = translate_in_shell("{ ", "< blank; echo \"status $?\" >&2; } | head -n 1");
  INFO(result.err);
  CHECK(lines_of(result.out).size() == 1);
  CHECK_THAT(result.err, Catch::Contains("error: stdout: cannot be written") && Catch::Contains("status 1"));
}

TEST_CASE("translate to a full disk fails with a message") {
  check_fails(translate_in_shell("", "< blank > /dev/full"), 1, {"stdout: cannot be written"});
  check_fails(translate_in_shell("echo ba be | ", "> /dev/full"), 1, {"stdout: cannot be written"});
}

TEST_CASE("translate leaves an old output file as it was where the new one does not fit") {
  const Workplace place;
  place.write("blank", std::string(200000, '\n'));
  place.write("out", "old\n");
  const auto before = place.list(".");
  check_fails(place.run_shell("ulimit -f 100; exec \"$transformer\" translate --model '" + (trained() / "model.pt") +
                              "' --input blank --output out"),
              1, {"out: cannot be written"});
  CHECK(place.read("out") == "old\n");
  CHECK(place.list(".") == before);  // and no part of the new one
}

TEST_CASE("SIGTERM ends translate without an output file") {
  const Workplace place;
  // It waits for the lines that a silent writer holds back; the writer's end is only there to end a deaf program too.
  const Result result =
      place.run_shell("mkfifo lines; \"$transformer\" translate --model '" + (trained() / "model.pt") +
                      "' --input lines --output out & exec 3> lines; kill -TERM $!; exec 3>&-; wait $!");
  INFO(result.err);
  CHECK(result.status == 128 + SIGTERM);
  CHECK(!place.has("out"));
}

TEST_CASE("translate names what it cannot read or write") {
  check_fails(translate("", {"--input", "nowhere.txt"}), 1, {"nowhere.txt", "no such file"});
  check_fails(translate("ba\n", {"--output", "/dev/full"}), 1,
              {"/dev/full: cannot be written: the disk is full; free some space and run the same command again"});
  check_fails(translate("", {"--input", "."}), 1, {".: cannot be read: it is a directory; give the path of a file"});
  check_fails(translate("ba be\n", {"--output", "no/such/directory/out"}), 1, {"no/such/directory/out"});
}

TEST_CASE("translate of text cut short in compression fails at its line") {
  const Workplace place;
  REQUIRE(place.run_shell("gzip < train.source | head -c 1000 > cut.gz").status == 0);
  check_fails(place.run(with_model({"--input", "cut.gz", "--output", "out"})), 1, {"cut.gz:", "ends too early"});
  CHECK(!place.has("out"));
}

}  // namespace transformer
