#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/json.h"
#include "catch.h"
#include "repository.h"
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

TEST_CASE("a model file with a value of decoding that this version does not accept is used with a warning") {
  const Workplace place(trained());
  const std::string warning =
      "warning: other.pt (config): decoding.beam_size must be from 1 to 1024, got 0; this version of the program does "
      "not accept that value and uses its default";
  CHECK(import_changed(place, "other.pt", "beam_size: 4", "beam_size: 0").status == 0);
  const Result translated = translate(place, "other.pt");
  CHECK(translated.status == 0);
  CHECK(translated.out == translate(place, "model.pt").out);
  CHECK_THAT(translated.err, Catch::Contains(warning));
}

TEST_CASE("a model file with a value of training that this version does not accept is averaged and described") {
  const Workplace place(trained());
  REQUIRE(import_changed(place, "other.pt", "schedule: noam", "schedule: tri_stage").status == 0);
  CHECK(output_of(place.run({"average-checkpoints", "--inputs", "other.pt", "-o", "again.pt"})).empty());
  CHECK_THAT(output_of(place.run({"info", "--model", "other.pt"})), Catch::Contains("parameters"));
}

TEST_CASE("a model file of a newer version is used if all is understood, and otherwise names what wrote it") {
  const Workplace place(trained());
  const std::string script = kRepository / "tests/programs/change_model_file.py";
  const auto translated = [&](const std::vector<std::string>& change) {
    const std::vector<std::string> program = {"program", "", "transformer 9.1.0 (abc1234)"};
    const Result rewritten = place.run_python(with(with({script, "model.pt", "new.safetensors"}, program), change));
    INFO(rewritten.err);
    REQUIRE(rewritten.status == 0);
    return translate(place, "new.safetensors");
  };
  const Result understood = translated({"config", "training:\n", "training:\n  new_key: 1\n"});
  CHECK(understood.status == 0);
  CHECK(understood.out == translate(place, "model.pt").out);
  const Result format = translated({"format", "", "transformer-3"});
  CHECK(format.status == 1);
  CHECK_THAT(format.err, Catch::Contains("new.safetensors: has the format transformer-3, written by transformer 9.1.0 "
                                         "(abc1234), of a newer version of this program; transformer ") &&
                             Catch::Contains(" reads transformer-2 and transformer-1, so use that version"));
  const Result architecture = translated({"config", "model:\n", "model:\n  experts: 4\n"});
  CHECK(architecture.status == 1);
  CHECK_THAT(architecture.err,
             Catch::Contains("new.safetensors (config):2: unknown key 'model.experts'; use the version of this program "
                             "that wrote it (transformer 9.1.0 (abc1234)), or an undamaged copy"));
}

TEST_CASE("a model file with an unknown key of the architecture, or one that fits no network, is refused") {
  const Workplace place(trained());
  const auto [old, text, message] = GENERATE(table<std::string, std::string, std::string>(
      {{"model:\n", "model:\n  experts: 4\n",
        "model.safetensors (config):2: unknown key 'model.experts'; use the version of this"},
       {"  h: 2\n", "  h: 5\n", "model.h does not divide d_model"}}));
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
  CHECK_THAT(resumed.err, Catch::Contains("run/config.yaml: the run's config has keys or values that this version of "
                                          "the program does not know (training.fused_kernels)"));
}

}  // namespace transformer
