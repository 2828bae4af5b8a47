#include "reporting/sample_translations.h"

#include "base/atomic_file.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "reporting/step_lines.h"

namespace transformer {

TEST_CASE("sample translations read back are those written, and later ones are dropped") {
  const TemporaryDirectory directory;
  const std::string path = directory / "samples.jsonl";
  append_step_line(path, ValidationSamples{100, {{"the \"cat\"", "die Katze", ""}, {"a\\b", "ü", "<x>"}}});
  append_step_line(path, ValidationSamples{200, {{"c", "d", "e"}}});
  const auto samples = read_step_lines<ValidationSamples>(path);
  REQUIRE(samples.size() == 2);
  CHECK(samples[0].step == 100);
  REQUIRE(samples[0].translations.size() == 2);
  CHECK(samples[0].translations[0].source == "the \"cat\"");
  CHECK(samples[0].translations[1].reference == "ü");
  CHECK(samples[0].translations[1].translation == "<x>");
  drop_step_lines_after<ValidationSamples>(path, 100);
  CHECK(read_step_lines<ValidationSamples>(path).size() == 1);
}

TEST_CASE("sample translations skip damaged lines, and removing them keeps a copy of the file") {
  const TemporaryDirectory directory;
  const std::string path = directory / "samples.jsonl";
  const std::string sound = "{\"step\": 1, \"translations\": []}\n";
  const std::string text = sound + "{\"step\": 2, \"translations\": [{}]}\n";
  write_file_atomically(path, text);
  REQUIRE(read_step_lines<ValidationSamples>(path).size() == 1);
  CHECK(read_step_lines<ValidationSamples>(path)[0].step == 1);
  drop_step_lines_after<ValidationSamples>(path, 2);
  CHECK(read_file(path) == sound);
  CHECK(read_file(path + ".damaged") == text);
}

}  // namespace transformer
