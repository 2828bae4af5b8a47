#include "inference/loaded_model.h"

#include <limits>

#include "base/error.h"
#include "catch.h"
#include "tensors.h"
#include "tiny_model_file.h"

namespace transformer {

TEST_CASE("a loaded model has the file's config, vocabulary and parameters and is in evaluation mode") {
  const TinyModelFile file;
  const LoadedModel model = load_for_inference(file / "model.pt", torch::kCPU);
  CHECK(model.config.decoding.max_extra_tokens == 8);
  CHECK(model.tokenizers.target().size() == 40);
  CHECK_FALSE(model.network->is_training());
  const NamedTensors expected = load_model(file / "model.pt").parameters;
  for (const auto& named : model.network->named_parameters()) {
    CHECK(torch::equal(named.value(), expected.at(named.key())));
  }
  CHECK_THROWS_WITH(load_for_inference(file / "none.pt", torch::kCPU), Catch::Contains("no such file"));
}

TEST_CASE("a model file whose parts do not fit together names the file of the part") {
  const TinyModelFile file;
  const ModelFile whole = load_model(file / "model.pt");
  ModelFile other = whole;
  other.vocabularies = std::string("nonsense");
  CHECK_THROWS_WITH(build_model(other, "m.pt", "v.model", torch::kCPU), Catch::Contains("v.model: "));
  other = whole;
  other.config = "model:\n  N: 2\n  d_model: 16\n  d_ff: 31\n  h: 4\n";
  CHECK_THROWS_WITH(build_model(other, "m.pt", "v.model", torch::kCPU),
                    Catch::Contains("m.pt: parameter 'encoder.layers.0.feed_forward.w_1.weight' is [32, 16]"));
  other.config = "model:\n  N: 2\n  d_model: 16\n  d_ff: 33\n  h: 4\n";
  CHECK_THROWS_WITH(build_model(other, "m.pt", "v.model", torch::kCPU), Catch::Contains("is [32, 16], expected [33"));
  other.config = "model:\n  N: 1000000\n  d_model: 1000000\n  d_ff: 1000000\n  h: 1000000\n";  // must not be built
  CHECK_THROWS_WITH(build_model(other, "m.pt", "v.model", torch::kCPU),
                    Catch::Contains("m.pt: has fewer parameters than the network of its config"));
  other.config = "model:\n  M: 3\n";
  CHECK_THROWS_AS(build_model(other, "m.pt", "v.model", torch::kCPU), DamagedFile);
  CHECK_THROWS_WITH(build_model(other, "m.pt", "v.model", torch::kCPU),
                    Catch::Contains("m.pt (config):2: ") && Catch::Contains("use the version of this program"));
}

TEST_CASE("a model whose parameters are not finite is refused") {
  const TinyModelFile file;
  ModelFile model = load_model(file / "model.pt");
  const double bad = GENERATE(std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity());
  const std::string name = "encoder.layers.0.feed_forward.w_1.bias";
  model.parameters.insert_or_assign(name, model.parameters.at(name).clone().index_put_({3}, bad));
  save_model(file / "bad.pt", model);
  CHECK_THROWS_WITH(
      load_for_inference(file / "bad.pt", torch::kCPU),
      Catch::StartsWith(file / "bad.pt") &&
          Catch::Contains("'encoder.layers.0.feed_forward.w_1.bias' has values that are NaN or infinite"));
}

TEST_CASE("an ensemble shares a vocabulary, and packed networks give the logits of unpacked ones") {
  const TinyModelFile file;
  file.write_model("other.pt", 35);
  CHECK_THROWS_WITH(load_for_search({file / "model.pt", file / "other.pt"}, {torch::kCPU}, WeightType::fp32),
                    Catch::Contains("other.pt: has another vocabulary than ") && Catch::Contains("model.pt"));

  const LoadedEnsemble ensemble =
      load_for_search({file / "model.pt", file / "model.pt"}, {torch::kCPU, torch::kCPU}, WeightType::fp32);
  REQUIRE(ensemble.replicas.size() == 2);
  CHECK(ensemble.config.model.d_ff == 32);
  CHECK(ensemble.tokenizers.target().size() == 40);

  torch::NoGradGuard no_grad;
  LoadedModel plain = load_for_inference(file / "model.pt", torch::kCPU);
  const auto source = sentences({{5, 6, 7, SpecialTokens().end}});
  const auto encoded = plain.network->encode(source);
  for (const auto& replica : ensemble.replicas) {
    REQUIRE(replica.size() == 2);
    for (Transformer network : replica) CHECK(max_difference(network->encode(source).data, encoded.data) < 1e-5);
  }
}

}  // namespace transformer
