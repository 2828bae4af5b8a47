#include "data/prepared_files.h"

#include "base/atomic_file.h"
#include "base/error.h"
#include "catch.h"
#include "temporary_directory.h"

namespace transformer {

TEST_CASE("prepared files: the corpora of validation sets are numbered from the second on") {
  const PreparedFiles files("p");
  CHECK(files.valid(0) == "p/valid.bin");
  CHECK(files.valid(1) == "p/valid-2.bin");
}

TEST_CASE("prepared files: a missing or damaged vocabulary is named") {
  const TemporaryDirectory directory;
  const PreparedFiles files(directory.path());
  CHECK_THROWS_WITH(load_tokenizers(files), Catch::StartsWith(files.vocabulary_models.target + ": cannot be read"));
  write_file_atomically(files.vocabulary_models.source, "nonsense");
  CHECK_THROWS_WITH(load_tokenizers(files),
                    Catch::StartsWith(files.vocabulary_models.source + ": not a SentencePiece model"));
}

TEST_CASE("prepared files: the parts of the training corpus have the sizes that the manifest says") {
  const TemporaryDirectory directory;
  DataConfig config;
  config.prepared = directory.path();
  CHECK(training_parts(config).empty());
  config.train.weight = {2, 0.5};
  CHECK_THROWS_AS(training_parts(config), Error);
  write_file_atomically(PreparedFiles(config.prepared).manifest,
                        R"({"inputs":{},"outputs":[],"train":{"pairs_of_files":[3,4]}})");
  const auto parts = training_parts(config);
  REQUIRE(parts.size() == 2);
  CHECK(parts[1].first == 3);
  CHECK(parts[1].size == 4);
  CHECK(parts[1].weight == 0.5);
  config.train.weight = {1e-6, 0};
  CHECK_THROWS_WITH(training_parts(config), Catch::Contains("data.train.weight: leaves no pairs"));
  config.train.weight = {1};
  CHECK_THROWS_WITH(training_parts(config), Catch::Contains("made from other files"));
}

}  // namespace transformer
