#include "export/safetensors_export.h"

#include <filesystem>
#include <iterator>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "serialization/safetensors.h"

namespace transformer {
namespace {

using Paths = std::vector<std::string>;

const VocabularyModels kShared = std::string("v"), kSeparate = VocabularyModels::separate("s", "v");

ModelFile small_model(const VocabularyModels& vocabularies) {
  NamedTensors parameters;
  parameters.insert("w", torch::ones({2}));
  return {.config = "c", .vocabularies = vocabularies, .parameters = parameters};
}

}  // namespace

TEST_CASE("model export: the source's vocabulary is written if it has one, and one of an older export is removed") {
  const TemporaryDirectory directory;
  const std::string out = directory / "out";
  CHECK(export_safetensors(small_model(kSeparate), out) ==
        Paths{out + "/model.safetensors", out + "/vocabulary.model", out + "/source_vocabulary.model"});
  const ModelFile separate = import_safetensors(out);
  CHECK(separate.vocabularies == kSeparate);
  CHECK(export_safetensors(small_model(kShared), out) == Paths{out + "/model.safetensors", out + "/vocabulary.model"});
  CHECK(import_safetensors(out).vocabularies == kShared);
}

TEST_CASE("model export removes CTranslate2's parameters if they belong to another vocabulary") {
  const TemporaryDirectory directory;
  const std::string out = directory / "out", other_parameters = out + "/model.bin";
  ModelFile model = small_model(kShared);
  export_safetensors(model, out);
  write_file_atomically(other_parameters, "x");
  write_file_atomically(out + "/config.json",
                        R"({"add_source_bos": false, "add_source_eos": true, "bos_token": "<s>", "decoder_start_token":
                        "<s>", "eos_token": "</s>", "layer_norm_epsilon": 1e-6, "multi_query_attention": false,
                        "unk_token": "<unk>"})");
  export_safetensors(model, out);
  CHECK(std::filesystem::exists(other_parameters));
  SECTION("of the target") { model.vocabularies = std::string("w"); }
  SECTION("of the source") { model.vocabularies = kSeparate; }
  export_safetensors(model, out);
  CHECK_FALSE(std::filesystem::exists(other_parameters));
}

TEST_CASE("model export that fails leaves no parameters of an older one") {
  const TemporaryDirectory directory;
  const std::string out = directory / "out";
  export_safetensors(small_model(kShared), out);
  CHECK(std::filesystem::exists(out + "/model.safetensors"));
  std::filesystem::create_directories(out + "/source_vocabulary.model/in_the_way");
  CHECK_THROWS_AS(export_safetensors(small_model(kSeparate), out), Error);
  CHECK_FALSE(std::filesystem::exists(out + "/model.safetensors"));
}

TEST_CASE("model export refuses to replace what it has not written") {
  const TemporaryDirectory directory;
  const std::string out = directory / "out";
  std::filesystem::create_directory(out);
  const std::string file = GENERATE("model.safetensors", "vocabulary.model", "model.bin");
  const bool is_damaged = GENERATE(false, true);
  if (file == "model.safetensors" && !is_damaged) {
    save_safetensors(out + "/" + file, {.metadata = {{"format", "pt"}}, .tensors = NamedTensors()});
  } else {
    write_file_atomically(out + "/" + file, "x");
  }
  CHECK_THROWS_WITH(export_safetensors(small_model(kShared), out),
                    Catch::StartsWith(out + "/" + file + ": ") && Catch::Contains("choose another directory"));
  CHECK(std::distance(std::filesystem::directory_iterator(out), {}) == 1);
}

}  // namespace transformer
