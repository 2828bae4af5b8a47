#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/json.h"
#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

/// Imports the shared model, with another text in place of `old` in its config, as `name`.
Result import_changed(const Workplace& place, const std::string& name, const std::string& old,
                      const std::string& text) {
  REQUIRE(place.run({"export", "--model", trained() / "model.pt", "-o", name + "-files"}).status == 0);
  const std::string file = name + "-files/model.safetensors";
  const std::string bytes = place.read(file);
  uint64_t size = 0;  // of the header, which is JSON with the config in it
  std::memcpy(&size, bytes.data(), sizeof(size));
  Json header = parse_json(bytes.substr(sizeof(size), size));
  auto config = header.at("__metadata__").at("config").get<std::string>();
  const size_t position = config.find(old);
  REQUIRE(position != std::string::npos);
  header["__metadata__"] = {{"config", config.replace(position, old.size(), text)}};  // without checksums
  std::string changed = json_text(header);
  changed.append(8 - changed.size() % 8, ' ');
  const uint64_t changed_size = changed.size();
  place.write(file, std::string(reinterpret_cast<const char*>(&changed_size), sizeof(changed_size)) + changed +
                        bytes.substr(sizeof(size) + size));
  return place.run({"import", "--input", name + "-files", "-o", name});
}

/// Writes `old.pt`, the shared model with what a config of version 0.1 has and this version does not know.
void write_old_model(const Workplace& place) {
  const Result imported =
      import_changed(place, "old.pt", "training:\n", "training:\n  fused_kernels: true\n  compile: {mode: fast}\n");
  INFO(imported.err);
  REQUIRE(imported.status == 0);
}

Result translate(const Workplace& place, const std::string& model, const std::vector<std::string>& more = {}) {
  return place.run(with({"translate", "--model", model, "--input", "test.source"}, more));
}

}  // namespace

TEST_CASE("a model file with keys of training that this version does not know is used by every command") {
  const Workplace place(trained());
  write_old_model(place);
  for (const char* precision : {"fp32", "int8"}) {
    const Result translated = translate(place, "old.pt", {"--precision", precision});
    INFO(translated.err);
    CHECK(translated.status == 0);
    CHECK(translated.out == translate(place, "model.pt", {"--precision", precision}).out);
    CHECK_THAT(translated.err, !Catch::Contains("warning"));
  }
  const auto score = [&](const std::string& model) {
    return place.run({"score", "--model", model, "--source", "test.source", "--target", "test.target"}).out;
  };
  CHECK(!score("old.pt").empty());
  CHECK(score("old.pt") == score("model.pt"));
  CHECK(place.run({"export", "--model", "old.pt", "-o", "exported", "--format", "ctranslate2"}).status == 0);
  CHECK(place.run({"info", "--model", "old.pt"}).status == 0);
  CHECK(place.run({"average-checkpoints", "--inputs", "old.pt", "model.pt", "-o", "mean.pt"}).status == 0);
  CHECK(translate(place, "mean.pt").out == translate(place, "model.pt").out);
  const Result tuned = place.train({"--set", "training.init_from=old.pt", "--set", "training.directory=tuned", "--set",
                                    "data.prepared=tuned-data", "--set", "training.train_steps=2"});
  INFO(tuned.err);
  CHECK(tuned.status == 0);
}

TEST_CASE("a model file with a key of decoding that this version does not know is used with a warning") {
  const Workplace place(trained());
  REQUIRE(import_changed(place, "other.pt", "decoding:\n", "decoding:\n  diversity: 3\n").status == 0);
  const Result translated = translate(place, "other.pt");
  CHECK(translated.status == 0);
  CHECK(translated.out == translate(place, "model.pt").out);
  CHECK_THAT(translated.err, Catch::Contains("warning: other.pt (config): this version of the program does not know "
                                             "decoding.diversity, which has no effect on its search"));
}

TEST_CASE("a model file with an unknown key of the architecture, or a value out of range, is refused") {
  const Workplace place(trained());
  const auto [old, text, message] = GENERATE(table<std::string, std::string, std::string>(
      {{"model:\n", "model:\n  experts: 4\n",
        "model.safetensors (config):2: unknown key 'model.experts'; use the version of this"},
       {"  h: 2\n", "  h: 5\n", "model.h does not divide d_model"},
       {"beam_size: 4", "beam_size: 0", "decoding.beam_size must be from 1 to 1024, got 0"}}));
  INFO(message);
  CHECK_THAT(import_changed(place, "bad.pt", old, text).err, Catch::Contains(message));
}

TEST_CASE("a run with keys that this version does not know is reported, and not resumed") {
  const Workplace place(trained());
  std::string config = place.read("run/config.yaml");
  const std::string section = "training:\n";
  config.replace(config.find(section), section.size(), section + "  fused_kernels: true\n");
  place.write("run/config.yaml", config);
  CHECK(place.run({"report", "run", "-o", "report.html"}).status == 0);
  const Result resumed = place.train();
  CHECK(resumed.status == 1);
  CHECK_THAT(resumed.err, Catch::Contains("run/config.yaml: the run's config has keys that this version of the program "
                                          "does not know (training.fused_kernels)"));
}

}  // namespace transformer
