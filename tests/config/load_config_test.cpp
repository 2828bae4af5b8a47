#include "config/load_config.h"

#include <filesystem>

#include "base/atomic_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "config/stored_config.h"

namespace transformer {

TEST_CASE("resolve_config says for each key that is given where its value comes from") {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "rows");
  write_file_atomically(directory / "base.yaml", "model:\n  N: 3\n  h: 4\n  d_ff: 64\n");
  write_file_atomically(directory / "rows/row.yaml", "extends: ../base.yaml\nmodel:\n  h: 2\ntraining:\n  seed: 5\n");
  const ResolvedConfig resolved = resolve_config(directory / "rows/row.yaml", {"training.seed=6", "training.seed=7"});
  CHECK(resolved.config.training.seed == 7);
  CHECK(resolved.files == std::vector<std::string>{directory / "rows/row.yaml", directory / "base.yaml"});
  CHECK(resolved.origins ==
        std::map<std::string, std::string>{{"model.N", directory / "base.yaml" + std::string(":2")},
                                           {"model.d_ff", directory / "base.yaml" + std::string(":4")},
                                           {"model.h", directory / "rows/row.yaml" + std::string(":3")},
                                           {"training.seed", "--set training.seed=7"}});
}

TEST_CASE("dump_with_origins writes YAML of the same config") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "c.yaml",
                        "data:\n  train: {source: [a.en, b.en], target: ['#a', 'b: c']}\ntraining: {seed: 5}\n");
  const ResolvedConfig resolved = resolve_config(directory / "c.yaml", {"data.prepared=x\ny"});
  const std::string yaml = dump_with_origins(resolved);
  CHECK(dump_config(parse_stored_config(yaml, "dumped")) == dump_config(resolved.config));
  CHECK_THAT(yaml, Catch::StartsWith("# " + (directory / "c.yaml") + "\nmodel:\n"));
  CHECK_THAT(yaml, Catch::Contains("\n  N: 6  # default\n"));
  CHECK_THAT(yaml, Catch::Contains("    source: [a.en, b.en]  # " + (directory / "c.yaml") + ":2\n"));
  CHECK_THAT(yaml, Catch::Contains("\n  seed: 5  # " + (directory / "c.yaml") + ":3\n"));
}

}  // namespace transformer
