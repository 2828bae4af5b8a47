#include "inference/file_translation.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "catch.h"
#include "inference/loaded_model.h"
#include "inference/translator.h"
#include "tiny_model_file.h"

namespace transformer {
namespace {

TranslationTask task_in(const TinyModelFile& file) {
  TranslationTask task;
  task.models = {file / "model.pt"};
  task.input = file / "in";
  task.output = file / "out";
  return task;
}

std::vector<std::string> translate(const TranslationTask& task) {
  FileTranslation(task).run(load_for_search(task.models, {torch::kCPU}, WeightType::fp32));
  std::ifstream output(task.output);
  std::vector<std::string> lines;
  for (std::string line; std::getline(output, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("decoding overrides replace the settings that they have and no others") {
  DecodingConfig config;
  config.beam_size = 7;
  config.alpha = 0.3;
  DecodingOverrides overrides;
  overrides.alpha = 1.5;
  overrides.trees = true;
  const DecodingConfig result = overrides.applied_to(config);
  CHECK(result.beam_size == 7);
  CHECK(result.alpha == 1.5);
  CHECK(result.trees);
  CHECK(result.max_extra_tokens == config.max_extra_tokens);
  CHECK(result.length_penalty == config.length_penalty);
  overrides.length_penalty = LengthPenaltyForm::none;
  CHECK_THROWS_WITH(overrides.applied_to(config), Catch::StartsWith("'alpha' has no effect with"));
  overrides.length_penalty.reset();
  config.length_penalty = LengthPenaltyForm::none;
  CHECK_THROWS_WITH(overrides.applied_to(config), Catch::StartsWith("'alpha' has no effect without"));
  overrides.length_penalty = LengthPenaltyForm::none;
  overrides.alpha.reset();
  CHECK(overrides.applied_to(config).length_penalty == LengthPenaltyForm::none);
}

TEST_CASE("a file is translated line by line, as the translator does it") {
  const TinyModelFile file;
  file.write("in", "the cat\n\non the mat\n");
  const LoadedModel model = load_for_inference(file / "model.pt", torch::kCPU);
  const Translator translator(model.network, model.tokenizers, model.config.decoding, {});
  const auto expected = best_texts(translator.translate(requests_of({"the cat", "", "on the mat"})));
  CHECK(translate(task_in(file)) == expected);
  CHECK(expected[1].empty());

  TranslationTask task = task_in(file);
  task.format = {.kind = OutputFormat::jsonl};
  task.translator.alignment = true;
  const auto objects = translate(task);
  REQUIRE(objects.size() == 3);
  CHECK(Json::parse(objects[2]).at("line") == 3);
  CHECK(Json::parse(objects[2]).at("translations")[0].at("text") == expected[2]);
  CHECK(Json::parse(objects[2]).at("translations")[0].at("alignment").is_array());
}

TEST_CASE("translations begin with their forced prefixes") {
  const TinyModelFile file;
  file.write("in", "the cat\nthe mat\n");
  file.write("prefix", "ein\nder Hund\n");
  TranslationTask task = task_in(file);
  task.prefix = file / "prefix";
  const auto lines = translate(task);
  REQUIRE(lines.size() == 2);
  CHECK_THAT(lines[0], Catch::StartsWith("ein"));
  CHECK_THAT(lines[1], Catch::StartsWith("der Hund"));

  file.write("prefix", "ein\nder ☃\n");
  CHECK_THROWS_WITH(translate(task), Catch::Contains("prefix:2: has '☃', which"));
  file.write("prefix", "ein\n");
  CHECK_THROWS_WITH(translate(task), Catch::Contains("prefix: ends after line 1"));
}

TEST_CASE("a translation task whose settings contradict each other is refused and writes nothing") {
  const TinyModelFile file;
  file.write("in", "the cat\n");
  const auto refuses = [&](const std::string& option, const auto& change) {
    INFO(option);
    TranslationTask task = task_in(file);
    change(task);
    CHECK_THROWS_AS(translate(task), UsageError);
    CHECK_THROWS_WITH(translate(task), Catch::Contains(option));
    CHECK_FALSE(std::filesystem::exists(file / "out"));
  };
  refuses("'format' nbest", [](TranslationTask& task) { task.translator.nbest = 2; });
  refuses("'sample'", [](TranslationTask& task) {
    task.translator.nbest = 2;
    task.translator.sampling.emplace();
  });
  refuses("'beam_size'", [](TranslationTask& task) {
    task.translator.nbest = 2;
    task.decoding.beam_size = 1;
    task.format.kind = OutputFormat::nbest;
  });
  refuses("'scores'", [](TranslationTask& task) {
    task.format.kind = OutputFormat::jsonl;
    task.format.scores = true;
  });
  refuses("'split_language' xx: is no language", [](TranslationTask& task) {
    task.parts.split = LineParts::sentences;
    task.parts.split_language = "xx";
  });
  refuses("'no_trees'", [&](TranslationTask& task) {
    task.decoding.trees = true;
    task.prefix = file / "in";
  });
}

}  // namespace transformer
