#include "inference/inference_config.h"

#include "base/error.h"
#include "catch.h"

namespace transformer {

TEST_CASE("the config of a model file is read for its model and decoding alone") {
  const InferenceConfig config = read_inference_config(
      "model:\n  N: 2\n  h: 4\ndata:\n  train: {source: [a, b], target: c}\n  new_key: 1\n"
      "training:\n  fused_kernels: true\n  train_steps: -1\n  seed: 1\n  seed: 2\n  parts: [{a: [{b: 1}]}]\n"
      "decoding:\n  beam_size: 7\nother: {section: true}\nanother:\n",
      "m.pt");
  CHECK(config.model.N == 2);
  CHECK(config.model.h == 4);
  CHECK(config.model.d_model == ModelConfig().d_model);
  CHECK(config.decoding.beam_size == 7);
}

TEST_CASE("the model's config alone is read whatever the search's settings are") {
  const std::string search = "decoding:\n  beam_size: 5000\n  diversity: 3\n";
  CHECK(read_model_config("model:\n  N: 3\n" + search, "m.pt").N == 3);
  CHECK_THROWS_WITH(read_model_config("model:\n  experts: 3\n" + search, "m.pt"),
                    Catch::Contains("unknown key 'model.experts'"));
}

TEST_CASE("an unknown key of decoding in a model file's config is ignored, and one of model refused") {
  CHECK(read_inference_config("decoding:\n  diversity: 3\n  alpha: 0.7\n", "m.pt").decoding.alpha == 0.7);
  CHECK_THROWS_AS(read_inference_config("model:\n  experts: 3\n", "m.pt"), DamagedFile);
  CHECK_THROWS_WITH(
      read_inference_config("model:\n  experts: 3\n", "m.pt"),
      "m.pt (config):2: unknown key 'model.experts'; use the version of this program that wrote it, or an "
      "undamaged copy");
  CHECK_THROWS_WITH(read_inference_config("model: 3\n", "m.pt"), Catch::Contains("unknown key 'model'"));
}

TEST_CASE("a value of decoding that this version does not accept is ignored") {
  const DecodingConfig decoding =
      read_inference_config("decoding:\n  beam_size: 5000\n  alpha: 0.7\n  stopping: oracle\n", "m.pt").decoding;
  CHECK(decoding.beam_size == DecodingConfig().beam_size);
  CHECK(decoding.stopping == DecodingConfig().stopping);
  CHECK(decoding.alpha == 0.7);
}

TEST_CASE("the error about a model file's config names the program that wrote it") {
  CHECK_THROWS_WITH(read_inference_config("model:\n  experts: 3\n", "m.pt", "transformer 9.0.0 (abc)"),
                    "m.pt (config):2: unknown key 'model.experts'; use the version of this program that wrote it "
                    "(transformer 9.0.0 (abc)), or an undamaged copy");
}

TEST_CASE("a model file's config must be an architecture with values in range") {
  const auto refuses = [](const std::string& yaml, const std::string& message) {
    INFO(yaml);
    CHECK_THROWS_AS(read_inference_config(yaml, "m.pt"), DamagedFile);
    CHECK_THROWS_WITH(read_inference_config(yaml, "m.pt"), Catch::Contains(message));
  };
  refuses("model:\n  N: 0\n", "m.pt (config):2: model.N must be from 1 to 1048576, got 0");
  refuses("model:\n  h: 7\n", "model.h does not divide d_model: 512 / 7");
  refuses("model:\n  position: rotary\n", "model.position: expected sinusoidal or learned, got 'rotary'");
  refuses("model:\n  position: learned\n", "is learned, which needs a maximum; give model.max_positions;");
  refuses("model:\n  max_positions: 5\n", "model.max_positions has no effect with sinusoidal positions");
  refuses("model: [\n", "not valid YAML");
}

}  // namespace transformer
