#include "model/model_cost.h"

#include "catch.h"
#include "config/load_config.h"
#include "paper_tables/paper_tables.h"
#include "repository.h"
#include "tiny_model.h"

namespace transformer {

TEST_CASE("every row of Table 3 has the paper's number of parameters within 0.6 M", "[table3]") {
  for (const auto& row : table3()) {
    if (!row.parameters_millions || row.name == "big") continue;
    INFO(row.name);
    const Config config = load_config(kConfigs / row.config, {});
    const int64_t count = num_parameters(config.model, 41100);
    CHECK(static_cast<double>(count) / 1e6 == Approx(*row.parameters_millions).margin(0.6));
  }
}

TEST_CASE("counted parameters are those of the built network") {
  ModelConfig config = tiny_config();
  const auto check = [&](const VocabularySizes& vocabularies = 20) {
    int64_t count = 0;
    for (const auto& parameter : Transformer(config, vocabularies)->parameters()) count += parameter.numel();
    CHECK(num_parameters(config, vocabularies) == count);
  };
  check();
  check(VocabularySizes::separate(20, 30));
  config.tied_embeddings = EmbeddingTies::source_and_target;
  check();
  config.tied_embeddings = EmbeddingTies::target_and_output;
  check();
  config.tied_embeddings = EmbeddingTies::none;
  check(VocabularySizes::separate(20, 30));
  config.tied_embeddings = std::nullopt;
  config.layer_norm = NormOrder::pre;
  check();
  config.d_k = 3;
  config.d_v = 5;
  check();
  config.position = Position::learned;
  config.max_positions = 30;
  check();
  for (const ModelConfig& variant : family_configs(tiny_config())) {
    config = variant;
    check();
  }
}

TEST_CASE("forward FLOPs are twice the multiplications of the matrix products") {
  ModelConfig config;
  config.N = 1;
  config.d_model = 2;
  config.d_ff = 3;
  config.h = 1;
  // Encoder, 2 tokens: 4 matrices of 2x2 and 2 of 2x3 for each, and 2x2 scores twice. Decoder, 1 token, likewise with a
  // second attention; its keys and values for 2 source tokens. Logits: 1 token, 2 x 5.
  const double encoder = 2 * (16 + 12) + 2 * (2 * 2) * 2;
  const double decoder = (16 + 12) + 2 * (1 * 1) * 2 + 8 + 2 * 8 + 2 * (1 * 2) * 2;
  CHECK(forward_flops(config, 5, 2, 1) == 2 * (encoder + decoder + 10));

  // With a window of 1 each of the 2 source tokens sees itself alone.
  config.r = 1;
  CHECK(forward_flops(config, 5, 2, 1) == 2 * (encoder - 2 * 2 * 2 * 2 + 2 * 2 * 2 + decoder + 10));

  // With a window of 3, each of 4 tokens sees up to 3 in the encoder and, in the decoder, itself and the one before.
  config.r = 3;
  const double windows = (4 * 3 + 4 * 2 + 4 * 4) * 2 * 2, matrices = 4 * (16 + 12) + 4 * (16 + 12) + 4 * 16 + 4 * 10;
  CHECK(forward_flops(config, 5, 4, 4) == 2 * (windows + matrices));
}

TEST_CASE("forward FLOPs of a decoder with fewer layers are those of the layers that it has") {
  ModelConfig config = tiny_config();  // N 2
  const auto flops = [&](int64_t N, std::optional<int64_t> decoder_layers) {
    config.N = N;
    config.decoder_layers = decoder_layers;
    return forward_flops(config, 5, 7, 4);
  };
  CHECK(flops(2, std::nullopt) == flops(2, 2));
  CHECK(flops(3, 1) - flops(2, 1) == flops(3, 3) - flops(2, 3));
  CHECK(flops(3, 1) + flops(1, 3) == flops(3, 3) + flops(1, 1));
}

TEST_CASE("FLOPs of sizes whose product no integer holds are right") {
  CHECK(training_flops({}, 37000, 25000, int64_t{1} << 50) ==
        Approx(training_flops_per_token({}, 37000) * 25000 * 0x1p50));
  ModelConfig huge;
  huge.N = huge.d_model = huge.d_ff = 1 << 20;
  CHECK(forward_flops(huge, 37000, 1, 1) > 1e19);
}

TEST_CASE("estimated FLOPs of the paper's two models are Table 2's") {
  CHECK(training_flops_by_time(12 * 3600, 8, 9.5e12) == Approx(3.3e18).epsilon(0.01));
  CHECK(training_flops_by_time(84 * 3600, 8, 9.5e12) == Approx(2.3e19).epsilon(0.01));
}

TEST_CASE("linear layers have the matrices of the built network") {
  ModelConfig config = tiny_config();
  config.attention_bias = GENERATE(false, true);
  config.decoder_layers = GENERATE(std::optional<int64_t>(), std::optional<int64_t>(3));
  config.d_k = 3;
  config.d_v = 5;
  const auto layers = linear_layers(config);
  const auto check = [&](const std::string& module, size_t first, const std::vector<std::string>& names) {
    const auto parameters = Transformer(config, 20)->named_parameters();
    for (size_t i = 0; i < names.size(); ++i) {
      const LinearLayer& layer = layers.at(first + i);
      const std::string name = module + "." + names[i];
      INFO(name);
      CHECK(layer.name == names[i]);
      CHECK(layer.count == (module.starts_with("encoder") ? config.N : config.num_decoder_layers()));
      CHECK(parameters[name + ".weight"].sizes() == std::vector<int64_t>{layer.outputs, layer.inputs});
      CHECK((parameters.find(name + ".bias") != nullptr) == layer.has_bias);
    }
  };
  const std::vector<std::string> attention = {"w_q", "w_k", "w_v", "w_o"}, feed_forward = {"w_1", "w_2"};
  REQUIRE(layers.size() == 16);
  check("encoder.layers.0.self_attention", 0, attention);
  check("encoder.layers.0.feed_forward", 4, feed_forward);
  check("decoder.layers.0.self_attention", 6, attention);
  check("decoder.layers.0.memory_attention", 10, attention);
  check("decoder.layers.0.feed_forward", 14, feed_forward);
  CHECK(layers[11].side == Side::source);  // the keys of encoder-decoder attention
  CHECK(layers[10].side == Side::target);
}

TEST_CASE("activations: what each sub-layer of the forward pass leaves for the backward pass") {
  ModelConfig config;
  config.N = 1;
  config.d_model = 8;
  config.d_ff = 24;
  config.h = 2;
  // Five sub-layer outputs, q, k, v and the result of three attentions, two inner layers, and the embeddings.
  const int64_t numbers = 5 * 8 + 3 * 4 * 8 + 2 * 24, embeddings = 6 * 8;
  CHECK(activation_bytes(config, Precision::fp32, /*kernels=*/true) == 4 * (numbers + embeddings));
  // Another activation than ReLU also saves its input. A further layer of the decoder has three sub-layer outputs, q,
  // k, v and the result of two attentions, and an inner layer.
  ModelConfig other = config;
  other.activation = Activation::swish;
  CHECK(activation_bytes(other, Precision::fp32, /*kernels=*/true) == 4 * (numbers + embeddings + 2 * 24));
  other = config;
  other.decoder_layers = 2;
  CHECK(activation_bytes(other, Precision::fp32, /*kernels=*/true) ==
        4 * (numbers + embeddings + 3 * 8 + 2 * 4 * 8 + 24));
  // LibTorch's operations also save the padded result of each attention and each sum before its normalization.
  CHECK(activation_bytes(config, Precision::fp32, /*kernels=*/false) == 4 * (numbers + embeddings + 3 * 8 + 5 * 8));
  // bf16 halves all but sub-layer outputs and embeddings, and adds the casts of six inputs.
  const int64_t in_bf16 = 4 * (5 * 8 + embeddings) + 2 * (3 * 4 * 8 + 2 * 24 + 6 * 8);
  CHECK(activation_bytes(config, Precision::bf16, /*kernels=*/true, /*is_gpu=*/true) == in_bf16);
  CHECK(activation_bytes(config, Precision::bf16, /*kernels=*/true) == in_bf16 + 2 * 3 * 3 * 8);  // q, k and v in fp32
  // Pre-norm also saves the sums that it normalizes: those before each sub-layer and before each stack's output.
  config.layer_norm = NormOrder::pre;
  CHECK(activation_bytes(config, Precision::fp32, /*kernels=*/true) == 4 * (numbers + embeddings + 7 * 8));
}

}  // namespace transformer
