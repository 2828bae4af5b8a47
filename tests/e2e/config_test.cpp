#include <filesystem>

#include "base/json.h"
#include "catch.h"
#include "config/load_config.h"
#include "workplace.h"

namespace transformer {
namespace {

/// What the call prints, which must be all that it says.
std::string printed(const Workplace& place, const std::vector<std::string>& arguments) {
  return only_output_of(place.run(arguments));
}

}  // namespace

TEST_CASE("config shows the resolved values and where each comes from") {
  const Workplace place;
  place.write("mine.yaml", "extends: config.yaml\nmodel:\n  N: 3\n");
  const std::string yaml = printed(place, {"config", "mine.yaml", "--set", "training.seed=5"});
  CHECK_THAT(yaml, Catch::StartsWith("# mine.yaml extends config.yaml\nmodel:\n  N: 3  # mine.yaml:3\n"));
  CHECK_THAT(yaml, Catch::Contains("  d_model: 32  # config.yaml:3\n") &&
                       Catch::Contains("  seed: 5  # --set training.seed=5\n") &&
                       Catch::Contains("  position: sinusoidal  # default\n"));
  // It is a config of its own, with the same values.
  place.write("resolved.yaml", yaml);
  CHECK(dump_config(load_config(place / "resolved.yaml", {})) ==
        dump_config(load_config(place / "mine.yaml", {"training.seed=5"})));

  const Json json = parse_json(printed(place, {"config", "mine.yaml", "--json"}));
  CHECK(json.at("files") == Json{"mine.yaml", "config.yaml"});
  CHECK(json.at("keys").at("model.N") == Json{{"value", 3}, {"origin", "mine.yaml:3"}});
  CHECK(json.at("keys").at("training.patience").at("origin") == "default");
}

TEST_CASE("config --list has all keys") {
  const Workplace place;
  const auto keys = config_values(Config());
  const auto lines = lines_of(printed(place, {"config", "--list"}));
  const Json json = parse_json(printed(place, {"config", "--list", "--json"}));
  REQUIRE(lines.size() == keys.size());
  REQUIRE(json.size() == keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    CHECK_THAT(lines[i], Catch::StartsWith(keys[i].name + " ") && Catch::EndsWith("  " + keys[i].help));
    CHECK(json.at(i).at("key") == keys[i].name);
  }
  CHECK_THAT(lines.at(0), Catch::Contains("  whole number, from 1 to 1048576 ") && Catch::Contains("  6  "));
}

TEST_CASE("config checks the file and its own call") {
  const Workplace place;
  place.write("wrong.yaml", "model:\n  N: 0\n  layers: 2\n");
  check_fails(place.run({"config", "wrong.yaml"}), 2,
              {"2 errors:\n  wrong.yaml:2: model.N must be from 1 to", "\n  wrong.yaml:3: unknown key"});
  check_fails(place.run({"config"}), 2, {"give either FILE or --list"});
  check_fails(place.run({"config", "wrong.yaml", "--list"}), 2, {"give either FILE or --list"});
  check_fails(place.run({"config", "--list", "--set", "model.N=2"}), 2, {"--set has no effect with --list"});
}

TEST_CASE("configs of the program are found from anywhere, unless there is one of that name") {
  const Workplace place;
  const Result base = place.run({"info", "--config", "configs/base.yaml", "--json"});
  INFO(base.err);
  CHECK(base.status == 0);
  CHECK(parse_json(base.out).at("parameters") == 63045632);
  CHECK(lines_of(base.err).size() == 1);
  CHECK_THAT(base.err, Catch::StartsWith("configs/base.yaml: not found from here, so ") &&
                           Catch::EndsWith("/configs/base.yaml is used\n"));

  place.write("mine.yaml", "extends: configs/big.yaml\nmodel: {N: 2}\n");
  CHECK_THAT(printed(place, {"config", "mine.yaml"}),
             Catch::Contains("  d_model: 1024  # ") && Catch::Contains("/configs/big.yaml:"));

  std::filesystem::create_directory(place / "configs");
  place.write("configs/base.yaml", "model: {N: 2}\n");
  CHECK_THAT(printed(place, {"config", "configs/base.yaml"}), Catch::StartsWith("# configs/base.yaml\n"));
  check_fails(
      place.run({"config", "configs/none.yaml"}), 2,
      {"configs/none.yaml: there is no such config file; the ones that come with the program are in ", "/configs"});
}

TEST_CASE("a config may come from a pipe, unless several ranks read it, and may not be a directory") {
  const Workplace place;
  const auto pipe_to = [&](const std::string& command) {
    return place.run_shell(
        "sed 's/train_steps: .*/train_steps: 2/' config.yaml | "
        "\"$transformer\" " +
        command);
  };
  const Result config = pipe_to("config /dev/stdin");
  INFO(config.err);
  CHECK(config.status == 0);
  CHECK_THAT(config.out, Catch::StartsWith("# /dev/stdin\n") && Catch::Contains("train_steps: 2  # /dev/stdin:"));
  CHECK(pipe_to("train /dev/stdin").status == 0);
  CHECK_THAT(place.read("run/config.yaml"), Catch::Contains("  train_steps: 2\n"));
  check_fails(pipe_to("train /dev/stdin --devices 2"), 2,
              {"/dev/stdin: is not a regular file, but each of the 2 ranks reads the config; write it to a file"});
  check_fails(place.run({"config", "run"}), 2,
              {"run: is a directory; give the path of a config file (a run's is config.yaml in its directory)"});
}

TEST_CASE("a text that is missing here but lies where the program's configs do is named with its place") {
  const Workplace place;
  const Result result = place.run({"preprocess", "--config", "configs/sample.yaml", "--quiet"});
  check_fails(
      result, 1,
      {"data.train.source: data/sample/train.en.gz: ", "/data/sample/train.en.gz exists", "or give the whole path"});
}

}  // namespace transformer
