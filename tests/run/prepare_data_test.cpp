#include "run/prepare_data.h"

#include <filesystem>

#include "base/error.h"
#include "base/read_file.h"
#include "catch.h"
#include "data/prepared_files.h"
#include "tiny_model_file.h"
#include "word_tokenizer.h"

namespace transformer {
namespace {

void prepare_with(const Config& config) { prepare_data(config, find_initial_model(config, ""), 1, ""); }

/// The files of a tiny model, whose vocabulary has 40 pieces, with a run directory and with a vocabulary of 30 pieces.
struct VocabularyPlace {
  VocabularyPlace() {
    std::filesystem::create_directory(file / "run");
    std::filesystem::copy_file(file / "model.pt", file / "run/averaged.safetensors");
    file.write("v.model", tokenizer_of(kTinyText, 30).model_bytes());
    config.data.train = {{file / "text", file / "text"}};
    config.data.prepared = file / "prepared";
    config.data.vocabulary_size = 35;
  }

  const TinyModelFile file;
  Config config;
};

}  // namespace

TEST_CASE("data is prepared with the vocabulary that the config names") {
  VocabularyPlace place;
  Config& config = place.config;
  const VocabularyModelFiles prepared = PreparedFiles(config.data.prepared).vocabulary_models;
  const std::string of_model = load_model(place.file / "model.pt").vocabularies.target();
  for (const char* model : {"model.pt", "run"}) {
    config.training.init_from = place.file / model;
    prepare_with(config);
    CHECK(read_file(prepared.target) == of_model);
    CHECK_FALSE(std::filesystem::exists(prepared.source));
  }
  config.data.vocabulary = {.source = place.file / "v.model", .target = place.file / "model.pt"};
  prepare_with(config);
  CHECK(read_file(prepared.source) == read_file(place.file / "v.model"));
  CHECK(read_file(prepared.target) == of_model);
  std::filesystem::copy_file(place.file / "v.model", place.file / "same.model");
  for (const char* target : {"v.model", "same.model"}) {
    config.data.vocabulary.target = place.file / target;
    prepare_with(config);
    CHECK(read_file(prepared.target) == read_file(place.file / "v.model"));
    CHECK_FALSE(std::filesystem::exists(prepared.source));
  }
}

TEST_CASE("a file with a vocabulary that cannot be used is named with its key") {
  VocabularyPlace place;
  Config& config = place.config;
  const std::string none = place.file / "none", run = place.file / "run";
  config.training.init_from = none;
  CHECK_THROWS_WITH(prepare_with(config),
                    Catch::StartsWith("training.init_from: " + none + ": there is no such file (looked for it from "));
  config.training.init_from = place.file / "v.model";
  CHECK_THROWS_WITH(prepare_with(config), Catch::Contains("v.model: is a vocabulary"));
  config.training.init_from.reset();
  config.data.vocabulary = {.source = run, .target = run};
  CHECK_THROWS_WITH(prepare_with(config),
                    Catch::StartsWith("data.vocabulary: " + run + ": is a directory or a pipe; give a file"));
  config.data.vocabulary = {.source = place.file / "v.model", .target = none};
  CHECK_THROWS_WITH(prepare_with(config),
                    Catch::StartsWith("data.vocabulary.target: " + none + ": there is no such file (looked for it "));
  config.data.vocabulary.target = config.data.vocabulary.source;
  config.training.init_from = none;
  CHECK_THROWS_WITH(prepare_with(config),
                    Catch::StartsWith("training.init_from: " + none + ": there is no such file (looked for it from "));
}

TEST_CASE("data is prepared with the initial model that was found first, also if a newer checkpoint appears") {
  const VocabularyPlace place;
  Config config = place.config;
  config.training.init_from = place.file / "growing";
  const RunFiles growing(place.file / "growing");
  std::filesystem::create_directories(growing.checkpoints_directory());
  std::filesystem::copy_file(place.file / "model.pt", growing.checkpoint(1));
  const std::string found = find_initial_model(config, "");
  CHECK(found == growing.checkpoint(1));
  place.file.write_model("growing/checkpoints/step-00000002.safetensors", 32);
  REQUIRE(find_initial_model(config, "") == growing.checkpoint(2));
  prepare_data(config, found, 1, "");
  CHECK(read_file(PreparedFiles(config.data.prepared).vocabulary_models.target) ==
        load_model(place.file / "model.pt").vocabularies.target());
}

TEST_CASE("training cannot start with a model of another width per head, which shows before data is prepared") {
  VocabularyPlace place;
  Config& config = place.config;
  config.training.init_from = place.file / "model.pt";
  config.model = tiny_config();
  check_initial_model(config, find_initial_model(config, ""), "");
  config.model.d_k = config.model.key_size();
  check_initial_model(config, find_initial_model(config, ""), "");
  config.model.d_k = 2 * config.model.key_size();
  CHECK_THROWS_WITH(check_initial_model(config, find_initial_model(config, ""), ""),
                    Catch::Contains("is another architecture") && Catch::Contains("model.d_k: 4 there, 8 here"));
}

TEST_CASE("vocabulary sizes are those of the files that the config names, or else data.vocabulary_size") {
  VocabularyPlace place;
  Config& config = place.config;
  CHECK(vocabulary_sizes(config).target() == 35);
  CHECK(vocabulary_sizes(config).are_shared());
  for (const char* model : {"model.pt", "run"}) {
    config.training.init_from = place.file / model;
    CHECK(vocabulary_sizes(config).target() == 40);
    CHECK(vocabulary_sizes(config).are_shared());
  }
  config.training.init_from = place.file / "none";
  CHECK(vocabulary_sizes(config).target() == 35);
  config.data.vocabulary = {.source = place.file / "v.model", .target = place.file / "model.pt"};
  CHECK(vocabulary_sizes(config).source() == 30);
  CHECK(vocabulary_sizes(config).target() == 40);
  config.data.vocabulary.target = config.data.vocabulary.source;
  CHECK(vocabulary_sizes(config).target() == 30);
  CHECK(vocabulary_sizes(config).are_shared());
  place.file.write("bad.model", "nonsense");
  config.data.vocabulary = {.source = place.file / "bad.model", .target = place.file / "bad.model"};
  CHECK_THROWS_WITH(vocabulary_sizes(config), Catch::Contains("bad.model: not a SentencePiece model"));
}

}  // namespace transformer
