#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

Result preprocess(const Workplace& place, const std::vector<std::string>& settings = {},
                  const std::vector<std::string>& options = {}) {
  std::vector<std::string> arguments = with({"preprocess", "--config", "config.yaml"}, options);
  for (const auto& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
  return place.run(arguments);
}

const std::vector<std::string> kPrepared = {"train.bin", "valid.bin", "vocabulary.model", "vocabulary.vocab",
                                            "manifest.json"};

/// Repeats the training text, with another number in each line, until preparing it takes half a second.
void enlarge(const Workplace& place) {
  for (const std::string name : {"train.source", "train.target"}) {
    const auto lines = place.read_lines(name);
    std::string text;
    for (int i = 0; i < 40000; ++i)
      text += lines[static_cast<size_t>(i) % lines.size()] + ' ' + std::to_string(i) + '\n';
    place.write(name, text);
  }
}

void check_same_files(const Workplace& place, const std::string& one, const std::string& other) {
  for (const std::string& file : kPrepared) {
    INFO(file);
    CHECK(place.have_same_bytes(one + "/" + file, other + "/" + file));
  }
}

}  // namespace

TEST_CASE("preprocess accounts for every pair, on screen and in the manifest, and drops only what it is told to") {
  const Workplace place;
  auto source = place.read_lines("train.source"), target = place.read_lines("train.target");
  source[4] = source[2];
  target[4] = target[2];
  target[5] = source[5];
  source[6] = "б" + source[6] + "б ббббббббббббббббббббббббббббб";
  target[7] = "";
  target[8] += " \xFF";
  source[9] = place.read_lines("valid.source")[0];
  target[9] = place.read_lines("valid.target")[0];
  place.write("train.source", text_of(source));
  place.write("train.target", text_of(target));
  const Result kept = preprocess(place);
  INFO(kept.err);
  REQUIRE(kept.status == 0);
  CHECK_THAT(kept.err,
             Catch::Contains("dropped 1 (1 empty, 0 longer than 256, 0 by ratio)") &&
                 Catch::Contains("\n    dropped  1 pair with an empty side: train.source:8\n") &&
                 Catch::Contains("\n    kept     1 pair with the same text on both sides (data.remove_copies "
                                 "drops them): train.source:6\n") &&
                 Catch::Contains(" that occurred before (data.remove_duplicates drops them): train.source:5") &&
                 Catch::Contains("1 pair not UTF-8 (the invalid bytes are replaced by U+FFFD): train.target:9") &&
                 Catch::Contains(" found in the validation or test text, too (remove them from one of the two): "
                                 "train.source:10"));
  Json train = parse_json(place.read("prepared/manifest.json")).at("train");
  CHECK(train.at("pairs") == 399);
  CHECK(train.at("kept").at("copy") == 1);
  CHECK(train.at("kept_examples").at("held_out").at(0) == "train.source:10");
  CHECK(train.at("knows_all_duplicates") == true);

  const Result dropped = preprocess(place, {"data.remove_copies=true", "data.remove_duplicates=true",
                                            "data.source_script=Latin", "data.prepared=less"});
  REQUIRE(dropped.status == 0);
  CHECK_THAT(dropped.err, Catch::Contains("1 copied, 1 repeated, 1 in another script)") &&
                              Catch::Contains("\n    dropped  1 pair in another script: train.source:7"));
  train = parse_json(place.read("less/manifest.json")).at("train");
  CHECK(train.at("pairs") == 396);
  CHECK(train.at("dropped_examples").at("duplicate") == Json::array({"train.source:5"}));
  check_fails(preprocess(place, {"data.target_script=Klingon"}), 2,
              {"--set data.target_script=Klingon: data.target_script must be the name of a script"});
}

TEST_CASE("preprocess --preview shows what preparing would give and writes nothing") {
  const Workplace place;
  const Result shown = preprocess(place, {}, {"--preview"});
  const std::string text = output_of(shown);
  CHECK_THAT(text, Catch::Contains("vocabulary    60 pieces, learned from 400 pairs\n") &&
                       Catch::Contains("first pairs\n    source \u2581") &&
                       Catch::Contains("pairs         read 400 of 400, kept 400; dropped 0 (") &&
                       Catch::Contains(" 400 pairs of ") && Catch::Contains("preparation   about ") &&
                       Catch::Contains("  memory        about "));
  CHECK(!place.has("prepared"));
  const Json json = parse_json(output_of(preprocess(place, {}, {"--preview", "--json"})));
  CHECK(json.at("pairs_read") == 400);
  CHECK(json.at("is_whole") == true);
  CHECK(json.at("examples").size() == 5);
  CHECK(json.at("steps_per_epoch").get<double>() > 1);
  CHECK(json.at("training").at("parameters").get<int64_t>() > 1000);
  check_fails(preprocess(place, {}, {"--json"}), 2, {"--json", "--preview"});
  check_fails(preprocess(place, {"data.train.source=nowhere"}, {"--preview"}), 1, {"data.train.source: nowhere"});
}

TEST_CASE("preprocess --preview gives the warnings of preparation") {
  const Workplace place;
  REQUIRE(
      place
          .run_shell("paste valid.source valid.target > pairs; cp train.source copy.source; cp train.target "
                     "copy.target; sed 's/ /@@ /g' train.source > split; sed '3s/$/ \u00B2/' train.target > squared;"
                     "seq 1.001 0.001 1.4 > numbers; (head -n 30 train.source; tail -n +31 train.target) > mixed")
          .status == 0);
  const auto check = [&](const std::vector<std::string>& settings, const std::string& warning) {
    INFO(warning);
    const Result result = preprocess(place, settings, {"--preview"});
    CHECK(result.status == 0);
    CHECK_THAT(result.err, Catch::Contains("warning: " + warning));
  };
  check({"data.valid.source=pairs"}, "pairs:1: most lines contain a tab (20 of 20); it would be used as it is");
  check({"data.test.source=pairs", "data.test.target=valid.target"}, "pairs:1: most lines contain a tab (20 of 20)");
  check({"data.train.source=split"}, "split:1: has '@@ ', as 400 of 400 lines have");
  check({"data.train.source=numbers"}, "numbers: 400 of 400 lines are numbers");
  check({"data.train.target=mixed"}, "train.source:1: the same line as in mixed; 30 of 400 pairs have identical sides");
  check({"data.train.target=squared"},
        "training corpus: the vocabulary cannot write 1 character of its target side: U+00B2 \u00B2");
  check({"data.valid.source=copy.source", "data.valid.target=copy.target"},
        "copy.source, copy.target: 400 of 400 pairs are in the training text, too");
  check({"data.valid.source=train.target", "data.valid.target=train.source"},
        "train.source, train.target and train.target, train.source: the sides seem to be swapped");
  CHECK(preprocess(place, {}, {"--preview"}).err.find("warning") == std::string::npos);
  CHECK(!place.has("prepared"));
  check_fails(preprocess(place, {"data.valid.source=nowhere"}, {"--preview"}), 1, {"data.valid.source: nowhere"});
}

TEST_CASE("shards that several processes encode at the same time are joined to the files of a single one") {
  const Workplace place;
  enlarge(place);
  REQUIRE(preprocess(place, {"data.prepared=whole"}).status == 0);
  std::vector<std::unique_ptr<Process>> processes;
  for (const std::string shard : {"3/3", "1/3", "2/3"}) {
    processes.push_back(place.start({"preprocess", "config.yaml", "--threads", "1", "--shard", shard}));
  }
  for (const auto& process : processes) CHECK(process->wait().status == 0);
  const Result joined = preprocess(place, {}, {"--join"});
  INFO(joined.err);
  REQUIRE(joined.status == 0);
  check_same_files(place, "prepared", "whole");
  CHECK(place.list("prepared").size() == kPrepared.size());
  CHECK(place.train({"--set", "training.train_steps=2"}).status == 0);
  check_fails(preprocess(place, {"data.max_length=20"}, {"--join"}), 1, {"prepared: has no shards to join"});
  check_fails(preprocess(place, {}, {"--shard", "4/3"}), 2, {"--shard expects two numbers K/N"});
  check_fails(preprocess(place, {}, {"--shard", "1/2", "--join"}), 2, {"--join", "--shard"});
}

TEST_CASE("preparation that is killed at any time gives the files of an undisturbed one when it is run again") {
  const Workplace place;
  enlarge(place);
  const auto start = std::chrono::steady_clock::now();
  REQUIRE(preprocess(place, {"data.prepared=whole"}).status == 0);
  const std::chrono::duration<double> undisturbed = std::chrono::steady_clock::now() - start;
  const bool in_shards = GENERATE(false, true);
  const auto commands = in_shards
                            ? std::vector<std::vector<std::string>>{{"--shard", "1/2"}, {"--shard", "2/2"}, {"--join"}}
                            : std::vector<std::vector<std::string>>{{}};
  std::mt19937 random(in_shards ? 5 : 3);
  int num_killed = 0;
  for (int kill = 0; kill < 20; ++kill) {
    const auto& command = commands[random() % commands.size()];
    const auto process = place.start(with({"preprocess", "config.yaml", "--threads", "1"}, command));
    std::uniform_real_distribution<double> moment(0, undisturbed.count());
    std::this_thread::sleep_for(std::chrono::duration<double>(moment(random)));
    process->signal(SIGKILL);
    if (process->wait().status == 128 + SIGKILL) ++num_killed;
    // Otherwise the next one would have nothing to do.
    if (place.has("prepared/manifest.json") && kill < 18) std::filesystem::remove_all(place / "prepared");
  }
  CHECK(num_killed > 5);
  for (const auto& command : commands) {
    const Result result = preprocess(place, {}, command);
    INFO(result.err);
    CHECK(result.status == 0);
  }
  check_same_files(place, "prepared", "whole");
  for (const std::string& file : place.list("prepared")) CHECK_THAT(file, !Catch::Contains(".tmp."));
}

TEST_CASE("preparation of a large text that is killed goes on behind the last part that it has encoded") {
  const Workplace place;
  std::string text;
  for (int i = 0; i < 1800000; ++i) text += std::to_string(i % 1000) + '\n';
  place.write("train.source", text);
  place.write("train.target", text);
  REQUIRE(preprocess(place, {"data.prepared=whole"}).status == 0);
  CHECK(place.list("whole").size() == kPrepared.size());
  const auto process = place.start({"preprocess", "config.yaml"});
  for (int i = 0; i < 6000 && !place.has("prepared/train.part-1"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  REQUIRE(place.has("prepared/train.part-1"));
  process->signal(SIGKILL);
  REQUIRE(process->wait().status == 128 + SIGKILL);
  REQUIRE(!place.has("prepared/manifest.json"));
  const Result rest = preprocess(place);
  CHECK(rest.status == 0);
  CHECK_THAT(rest.err, Catch::Contains("used 1,000,000 pairs that an interrupted preparation had encoded") &&
                           !Catch::Contains("learning"));
  check_same_files(place, "prepared", "whole");
  CHECK(place.list("prepared").size() == kPrepared.size());
}

TEST_CASE("a shard that does not fit on the disk, and a directory that cannot be written, are named") {
  const Workplace place;
  enlarge(place);
  check_fails(place.run_shell("ulimit -f 1000; exec \"$transformer\" preprocess config.yaml --shard 1/2"), 1,
              {"train.shard-1-of-2: cannot be written"});
  CHECK(place.list("prepared").empty());
  check_fails(preprocess(place, {"data.prepared=/proc/prepared"}, {"--shard", "1/2"}), 1, {"/proc/prepared: "});
  check_fails(preprocess(place, {"data.prepared=/proc/prepared"}), 1, {"/proc/prepared: "});
}

TEST_CASE("the vocabulary has byte pieces, and is learned from a sample of the lines, if the config says so") {
  const Workplace place;
  REQUIRE(preprocess(place, {"data.byte_fallback=true", "data.vocabulary_size=310"}).status == 0);
  const auto pieces = place.read_lines("prepared/vocabulary.vocab");
  REQUIRE(pieces.size() == 310);
  CHECK(std::count_if(pieces.begin(), pieces.end(), [](const auto& piece) { return piece.starts_with("<0x"); }) == 256);
  check_fails(preprocess(place, {"data.byte_fallback=true"}), 1, {"give a data.vocabulary_size of at least "});
  enlarge(place);
  const Result sampled = preprocess(place, {"data.vocabulary_sample=1000"});
  REQUIRE(sampled.status == 0);
  const std::string model = place.read("prepared/vocabulary.model");
  CHECK_THAT(preprocess(place, {"data.vocabulary_sample=1000"}).err, Catch::Contains("unchanged"));
  REQUIRE(preprocess(place).status == 0);
  CHECK(!(place.read("prepared/vocabulary.model") == model));
}

}  // namespace transformer
