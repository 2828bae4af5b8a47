#include "config/find_config.h"

#include <filesystem>

#include "base/atomic_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "config/load_config.h"
#include "repository.h"

namespace transformer {
TEST_CASE("find_config finds the program's configs where the given path does not exist") {
  CHECK(std::filesystem::equivalent(program_configs(), kConfigs));
  const TemporaryDirectory directory;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  const std::string found = find_config("configs/base.yaml");
  const std::string nested = find_config("./configs/table3/c_N2.yaml");
  const std::string unknown = find_config("configs/none.yaml"), other = find_config("base.yaml");
  const std::string outside = find_config("configs/../README.md");
  std::filesystem::create_directory("configs");
  write_file_atomically("configs/base.yaml", "model: {N: 3}\n");
  const std::string local = find_config("configs/base.yaml");
  std::filesystem::current_path(before);

  CHECK(std::filesystem::equivalent(found, kConfigs / "base.yaml"));
  CHECK(std::filesystem::equivalent(nested, kConfigs / "table3/c_N2.yaml"));
  CHECK(unknown == "configs/none.yaml");
  CHECK(other == "base.yaml");
  CHECK(outside == "configs/../README.md");
  CHECK(local == "configs/base.yaml");
}

TEST_CASE("a config may extend one of the program's configs from anywhere") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "mine.yaml", "extends: configs/big.yaml\nmodel: {N: 2}\n");
  const Config config = load_config(directory / "mine.yaml", {});
  CHECK(config.model.N == 2);
  CHECK(config.model.d_model == 1024);
  std::filesystem::create_directory(directory / "configs");
  write_file_atomically(directory / "configs/big.yaml", "model: {d_model: 64}\n");
  CHECK(load_config(directory / "mine.yaml", {}).model.d_model == 64);
  write_file_atomically(directory / "mine.yaml", "extends: table3/c_N2.yaml\n");
  CHECK_THROWS_WITH(load_config(directory / "mine.yaml", {}),
                    Catch::Contains("mine.yaml:1: 'extends' names ") &&
                        Catch::EndsWith("did you mean configs/table3/c_N2.yaml, which comes with the program?"));
}

}  // namespace transformer
