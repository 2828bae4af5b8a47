#include "data/manifest.h"

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/json.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {

TEST_CASE("manifest is refused if a part is missing or of another kind") {
  const TemporaryDirectory directory;
  const std::string path = directory / "manifest.json";
  const Json sound = parse_json(R"({"inputs":{"max_length":9},"outputs":[{"path":"x","bytes":3}],
    "train":{"lines":9,"pairs":7,"pairs_of_files":[3,4],"source_pieces":20,"target_pieces":30,
    "dropped":{"empty":2,"too_long":0,"length_ratio":0},
    "dropped_examples":{"empty":["a:1"],"too_long":[],"length_ratio":[]}}})");
  write_file_atomically(path, json_text(sound));
  const Manifest manifest = read_manifest(path);
  CHECK(manifest.inputs == nlohmann::json(sound.at("inputs")));
  REQUIRE(manifest.outputs.size() == 1);
  CHECK(manifest.outputs[0] == nlohmann::json(sound.at("outputs").at(0)));
  CHECK(manifest.train.pairs_of_files == std::vector<int64_t>{3, 4});
  CHECK(manifest.valid.empty());

  Json changed = sound;
  SECTION("no object") { changed = Json::array(); }
  SECTION("missing") {
    const auto* part = GENERATE("/inputs", "/outputs", "/train", "/train/lines", "/train/pairs_of_files",
                                "/train/source_pieces", "/train/dropped/empty", "/train/dropped_examples/empty");
    const Json::json_pointer pointer(part);
    changed.at(pointer.parent_pointer()).erase(pointer.back());
  }
  SECTION("of another kind") {
    const auto [part, value] = GENERATE(table<const char*, Json>({{"/outputs", 7},
                                                                  {"/outputs", {{"0", 1}}},
                                                                  {"/train/pairs_of_files", Json::array({"3"})},
                                                                  {"/train/pairs_of_files", Json::array({-5, 15})},
                                                                  {"/train/lines", -1},
                                                                  {"/train/dropped/too_long", 8},
                                                                  {"/train/dropped_examples/empty", Json::array({3})},
                                                                  {"/train/kept", {{"copy", 3}}},
                                                                  {"/train/dropped/copy", 1},
                                                                  {"/valid", {{"lines", "5"}}}}));
    changed[Json::json_pointer(part)] = value;
  }
  SECTION("no JSON") { changed = nullptr; }
  write_file_atomically(path, changed.is_null() ? "" : json_text(changed));
  CHECK_THROWS_AS(read_manifest(path), DamagedFile);
  CHECK_THROWS_WITH(read_manifest(path), Catch::StartsWith(path + ": not a manifest ("));
}

TEST_CASE("manifest gives back what was written about each corpus") {
  const TemporaryDirectory directory;
  const PreparedFiles files(directory.path());
  DataConfig config;
  config.valid = {{{"a", "a"}, "one"}, {{"b", "b"}, "two"}};
  for (const auto& path : {files.vocabulary_models.target, files.train, files.valid(0), files.valid(1)}) {
    write_file_atomically(path, "x");
  }
  CorpusRecord train{
      .num_lines = 10, .pairs_of_files = {4, 3}, .source_pieces = 70, .target_pieces = 80, .account = {}};
  train.account.dropped[PairFault::too_long] = {2, {"train.en:7"}};
  train.account.dropped[PairFault::duplicate] = {1, {"train.en:8"}};
  train.account.kept[PairFault::copy] = {7, {"train.en:1", "train.en:2"}};
  train.account.kept[PairFault::held_out] = {5, {"train.en:2"}};
  train.account.knows_all_duplicates = false;
  const CorpusRecord valid{.num_lines = 2, .pairs_of_files = {2}};
  const Json inputs = {{"max_length", 256}};
  write_manifest(files, config, inputs, train, {valid, train});

  const Json written = parse_json(read_file(files.manifest));
  CHECK(written.at("train").at("pairs") == 7);
  CHECK(written.at("train").at("source_pieces") == 70);
  CHECK(written.at("train").at("target_pieces") == 80);
  const Manifest manifest = read_manifest(files.manifest);
  CHECK(manifest.inputs == nlohmann::json(inputs));
  CHECK(manifest.outputs.size() == 4);
  REQUIRE(manifest.valid.size() == 2);
  CHECK(manifest.valid[0].num_lines == 2);
  for (const CorpusRecord& again : {manifest.train, manifest.valid[1]}) {
    CHECK(again.num_lines == 10);
    CHECK(again.pairs_of_files == train.pairs_of_files);
    CHECK(again.source_pieces == 70);
    CHECK(again.target_pieces == 80);
    CHECK_FALSE(again.account.knows_all_duplicates);
    for (size_t i = 0; i < kNumPairFaults; ++i) {
      const auto fault = static_cast<PairFault>(i);
      const auto check_same = [&](const PairsByFault& found, const PairsByFault& written_pairs) {
        CHECK(found[fault].count == written_pairs[fault].count);
        CHECK(found[fault].examples == written_pairs[fault].examples);
      };
      check_same(again.account.dropped, train.account.dropped);
      check_same(again.account.kept, train.account.kept);
    }
  }
}

}  // namespace transformer
