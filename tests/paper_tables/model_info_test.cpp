#include "paper_tables/model_info.h"

#include <filesystem>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/json.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "model/model_cost.h"
#include "paper_tables/training_forecast.h"
#include "repository.h"
#include "tiny_model_file.h"

namespace transformer {

TEST_CASE("info of a config has its costs and the paper's row") {
  const ModelInfo info = info_of_config({kConfigs / "base.yaml", {"data.vocabulary_size=41100"}});
  CHECK(info.vocabularies.target() == 41100);
  CHECK(info.parameters == num_parameters(info.config.model, 41100));
  CHECK(info.training_flops == info.training_flops_per_token * 25000.0 * 100000.0);
  REQUIRE(info.paper);
  CHECK(info.paper->name == "base");
  CHECK(info.device_tokens > 0);
  ModelInfo large;
  large.memory = {.fixed = 9'000'000'000'000'000'000, .per_token = 0, .checkpoint = 9'000'000'000'000'000'000};
  CHECK(large.training_bytes() == 9'000'000'000'000'000'000);
  CHECK(info.training_bytes() ==
        200'000'000 + info.memory.fixed + info.device_tokens * info.memory.per_token + info.memory.checkpoint);

  CHECK(info_of_config({kConfigs / "table3/c_N2.yaml", {}}).paper->name == "C N=2");
  CHECK_FALSE(info_of_config({kConfigs / "base.yaml", {"model.N=2"}}).paper);
  const TemporaryDirectory other;  // whose file with the same name has another architecture
  std::filesystem::create_directory(other / "configs");
  write_file_atomically(other / "configs/base.yaml", "model: {N: 3}\n");
  CHECK_FALSE(info_of_config({other / "configs/base.yaml", {}}).paper);
  CHECK(info_of_config({kConfigs / "base.yaml", {"training.device_tokens=123"}}).device_tokens == 123);
  CHECK_THROWS_AS(info_of_config({kConfigs / "base.yaml", {"model.M=2"}}), UsageError);
}

TEST_CASE("the forecast for the paper's machine is within a quarter of the paper's 12 hours and 3.5 days") {
  const auto hours = [](const std::string& config) {
    return kGpuMachines[0].hours(info_of_config({kConfigs / config, {}}).training_flops);
  };
  CHECK(hours("base.yaml") == Approx(12).epsilon(0.25));
  CHECK(hours("big.yaml") == Approx(3.5 * 24).epsilon(0.25));
}

TEST_CASE("info of a config counts the vocabulary of the model that training starts from") {
  const TinyModelFile file;
  const ModelInfo info = info_of_config({kConfigs / "base.yaml", {"training.init_from=" + (file / "model.pt")}});
  CHECK(info.vocabularies.target() == 40);
  CHECK(info.parameters == num_parameters(info.config.model, 40));
}

TEST_CASE("info of a model file counts the vocabulary that the file holds") {
  const TinyModelFile file;
  const ModelInfo info = info_of_model(file / "model.pt");
  CHECK(info.vocabularies.target() == 40);
  CHECK(info.config.model.d_model == 16);
  CHECK_FALSE(info.paper);
  CHECK(info.name == file / "model.pt");
}

TEST_CASE("info shows what makes a model another one than the paper's") {
  const auto shown = [](const std::vector<std::string>& keys) {
    return format_text(info_of_config({kConfigs / "base.yaml", keys}));
  };
  CHECK_THAT(shown({"model.N=4", "model.d_ff=1000"}), Catch::Contains("sinusoidal positions\n"));
  CHECK_THAT(shown({"model.layer_norm=pre", "model.activation=swish", "model.decoder_layers=1"}),
             Catch::Contains("sinusoidal positions, layer_norm pre, decoder_layers 1, activation swish\n"));
}

TEST_CASE("info has the same figures as text and as JSON, and the paper's where there are any") {
  ModelInfo info = info_of_config({kConfigs / "base.yaml", {"training.device_tokens=4096", "model.r=129"}});
  CHECK_THAT(format_text(info), Catch::StartsWith((kConfigs / "base.yaml").string() +
                                                  "\n  model         N 6, d_model 512, d_ff 2048, "
                                                  "h 8, d_k 64, d_v 64, P_drop 0.1, eps_ls 0.1, sinusoidal "
                                                  "positions, r 129\n  vocabulary    37,000 pieces\n"));
  CHECK_THAT(format_text(info), Catch::Contains("63,045,632 (63.0 M)\n") &&
                                    Catch::Contains("to train on this CPU in micro-batches of 4,096 tokens (fp32)"));
  const Json json = Json::parse(format_json(info));
  CHECK(json.at("parameters") == 63045632);
  CHECK(json.at("paper_parameters_millions").is_null());
  CHECK(json.at("vocabulary_size") == 37000);
  CHECK(json.at("training_flops_per_target_token").get<double>() == info.training_flops_per_token);
  CHECK(json.at("training_flops").get<double>() == info.training_flops);
  CHECK(json.at("training_memory_bytes") == info.training_bytes());
  CHECK(json.at("forecast").size() == kGpuMachines.size());
  CHECK(json.at("forecast")[0].at("gpu") == "P100");
  CHECK(json.at("forecast")[0].at("gpu_hours").get<double>() == 8 * json.at("forecast")[0].at("hours").get<double>());

  info.paper = table3()[0];
  CHECK_THAT(format_text(info), Catch::Contains("(63.0 M; Table 3, base: 65 M)"));
  CHECK(Json::parse(format_json(info)).at("paper_parameters_millions") == 65);
}

}  // namespace transformer
