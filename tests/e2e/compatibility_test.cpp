#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/read_file.h"
#include "catch.h"
#include "repository.h"
#include "workplace.h"

namespace transformer {
namespace {

/// The folders that scripts/compatibility.py wrote, one for each version.
std::vector<std::string> versions() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(kRepository / "tests/compatibility")) {
    if (std::filesystem::exists(entry.path() / "expected.json")) found.push_back(entry.path().filename());
  }
  return found;
}

/// A copy of a version's folder, in which programs may write.
struct Files {
  explicit Files(const std::string& version) : place(directory.path()) {
    std::filesystem::copy(kRepository / "tests/compatibility" / version, directory.path(),
                          std::filesystem::copy_options::recursive);
    expected = parse_json(place.read("expected.json"));
  }

  std::vector<std::string> translations(const std::string& model, const std::vector<std::string>& more = {}) const {
    return lines_of(output_of(place.run(with({"translate", "--model", model, "--input", "test.source"}, more))));
  }

  TemporaryDirectory directory;
  Workplace place;
  Json expected;
};

std::vector<std::string> texts(const Json& list) { return list.get<std::vector<std::string>>(); }

}  // namespace

TEST_CASE("model files and checkpoints of every version give the results of the version that wrote them") {
  REQUIRE(!versions().empty());
  for (const std::string& version : versions()) {
    INFO(version);
    const Files files(version);
    const Json& expected = files.expected;
    CHECK(files.translations("model.safetensors") == texts(expected.at("model.safetensors")));
    CHECK(files.translations("model.safetensors", {"--precision", "int8"}) == texts(expected.at("int8")));
    CHECK(files.translations("int8", {"--precision", "int8"}) == texts(expected.at("int8")));
    CHECK(files.translations("run") == texts(expected.at("checkpoint")));

    files.place.write("test.target", text_of(texts(expected.at("test.target"))));
    const Json scores = parse_json(output_of(files.place.run(
        {"score", "--model", "model.safetensors", "--source", "test.source", "--target", "test.target", "--json"})));
    for (size_t i = 0; i < scores.at("scores").size(); ++i) {
      CHECK(scores.at("scores").at(i).at("log_prob").get<double>() ==
            Approx(expected.at("scores").at("scores").at(i).at("log_prob").get<double>()).epsilon(1e-4));
    }

    const Result averaged =
        files.place.run({"average-checkpoints", "--inputs", "model.safetensors", "int8/model.safetensors",
                         files.place / "run/checkpoints/step-00000400.safetensors", "-o", "mean.safetensors"});
    INFO(averaged.err);
    REQUIRE(averaged.status == 0);
    CHECK(files.translations("mean.safetensors") == texts(expected.at("model.safetensors")));
  }
}

TEST_CASE("a run of every version is resumed with its prepared data, and ends as with the version that wrote it") {
  for (const std::string& version : versions()) {
    INFO(version);
    const Files files(version);
    const Json& expected = files.expected.at("resumed");
    const int64_t steps = expected.at("step").get<int64_t>();
    const auto prepared = std::filesystem::last_write_time(files.place / "prepared/train.bin");
    const Result resumed =
        files.place.run({"train", "config.yaml", "--set", "training.train_steps=" + std::to_string(steps)});
    INFO(resumed.err);
    REQUIRE(resumed.status == 0);
    CHECK_THAT(resumed.err, Catch::Contains("run: resuming after step 400"));
    CHECK(std::filesystem::last_write_time(files.place / "prepared/train.bin") == prepared);
    const auto lines = metrics_with(files.place, "run", "valid_loss");
    REQUIRE(!lines.empty());
    CHECK(lines.back().at("step").get<int64_t>() == steps);
    CHECK(lines.back().at("valid_loss").get<double>() == Approx(expected.at("valid_loss").get<double>()).epsilon(1e-4));
    CHECK(files.translations("run") == texts(expected.at("translations")));
  }
}

}  // namespace transformer
