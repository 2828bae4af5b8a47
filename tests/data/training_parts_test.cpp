#include "data/training_parts.h"

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "data/prepared_files.h"

namespace transformer {

TEST_CASE("the parts of the training corpus have the sizes that the manifest says") {
  const TemporaryDirectory directory;
  DataConfig config;
  config.prepared = directory.path();
  CHECK(training_parts(config).empty());
  config.train = {{{"a.en", "a.de"}, 2}, {{"b.en", "b.de"}, 0.5}};
  CHECK_THROWS_AS(training_parts(config), Error);
  write_file_atomically(PreparedFiles(config.prepared).manifest,
                        R"({"inputs":{},"outputs":[],"train":{"lines":7,"pairs_of_files":[3,4],"source_pieces":7,)"
                        R"("target_pieces":7,"dropped":{"empty":0,"too_long":0,"length_ratio":0},)"
                        R"("dropped_examples":{"empty":[],"too_long":[],"length_ratio":[]}}})");
  const auto parts = training_parts(config);
  REQUIRE(parts.size() == 2);
  CHECK(parts[1].first == 3);
  CHECK(parts[1].size == 4);
  CHECK(parts[1].weight == 0.5);
  config.train[0].weight = 1e-6;
  config.train[1].weight = 0;
  CHECK_THROWS_WITH(training_parts(config), Catch::Contains("data.train.weight: leaves no pairs"));
  config.train = {{{"a.en", "a.de"}, 1}};
  CHECK_THROWS_WITH(training_parts(config), Catch::Contains("data.train.weight: has 1 item, but ") &&
                                                Catch::Contains(" was prepared from 2 pairs of files"));
}

}  // namespace transformer
