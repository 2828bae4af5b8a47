#include "model/transformer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "catch.h"
#include "model/attention_weights.h"
#include "ops/dropout.h"
#include "ops/linear_cross_entropy.h"
#include "stand_in_attention.h"
#include "tensors.h"
#include "tiny_model.h"

namespace transformer {
namespace {

/// What `ties` says of the source embedding and of the output projection: whether they are the target embedding's
/// matrix.
struct Ties {
  explicit Ties(EmbeddingTies ties)
      : source_is_target(ties == EmbeddingTies::all || ties == EmbeddingTies::source_and_target),
        output_is_target(ties == EmbeddingTies::all || ties == EmbeddingTies::target_and_output) {}
  bool source_is_target, output_is_target;
};

EmbeddingTies any_ties() {
  return GENERATE(EmbeddingTies::all, EmbeddingTies::source_and_target, EmbeddingTies::target_and_output,
                  EmbeddingTies::none);
}

/// As tiny_config, of widths that the kernels take.
ModelConfig kernel_config() {
  ModelConfig config = tiny_config();
  config.d_model = 32;
  config.h = 2;
  return config;
}

}  // namespace

TEST_CASE("transformer gives logits for every target position") {
  auto model = tiny_model(tiny_config());
  const auto logits = model->forward(sentences({{4, 5, 6, 3}, {7, 8, 3}}), sentences({{2, 9, 10}, {2, 11}}));
  CHECK(logits.sizes() == torch::IntArrayRef({5, 20}));
  CHECK_THROWS(model->forward(sentences({{4, 3}}), sentences({{2, 9}, {2, 9}})));
}

TEST_CASE("transformer: a future token changes no earlier output") {
  auto model = tiny_model(tiny_config());
  const auto source = sentences({{4, 5, 6, 3}});
  const auto a = model->forward(source, sentences({{2, 9, 10, 11}}));
  const auto b = model->forward(source, sentences({{2, 9, 10, 12}}));
  CHECK(max_difference(a.slice(0, 0, 3), b.slice(0, 0, 3)) == 0);
  CHECK(max_difference(a, b) > 1e-3);
}

TEST_CASE("transformer: a sentence's logits do not depend on the rest of the batch") {
  auto model = tiny_model(tiny_config());
  const auto alone = model->forward(sentences({{4, 5, 3}}), sentences({{2, 9}}));
  const auto beside =
      model->forward(sentences({{4, 5, 6, 7, 3}, {4, 5, 3}, {8, 3}}), sentences({{2, 9, 10}, {2, 9}, {2, 11, 12, 13}}));
  CHECK(max_difference(alone, beside.slice(0, 3, 5)) < 1e-5);
}

TEST_CASE("transformer: every source token matters, and its place") {
  auto model = tiny_model(tiny_config());
  const auto target = sentences({{2, 9}});
  const auto a = model->forward(sentences({{4, 5, 3}}), target);
  CHECK(max_difference(a, model->forward(sentences({{5, 4, 3}}), target)) > 1e-3);
  CHECK(max_difference(a, model->forward(sentences({{4, 6, 3}}), target)) > 1e-3);
}

TEST_CASE("transformer: the shared matrix is listed once, and no parameter twice") {
  const auto model = tiny_model(tiny_config());
  std::set<void*> places;
  int matrices_of_vocabulary_size = 0;
  for (const auto& parameter : model->parameters()) {
    CHECK(places.insert(parameter.data_ptr()).second);
    if (parameter.dim() == 2 && parameter.size(0) == 20) ++matrices_of_vocabulary_size;
  }
  CHECK(matrices_of_vocabulary_size == 1);
}

TEST_CASE("transformer: source embedding, target embedding and output projection are one matrix, two or three") {
  ModelConfig config = tiny_config();
  config.tied_embeddings = any_ties();
  const Ties tied(*config.tied_embeddings);
  const VocabularySizes sizes = tied.source_is_target ? VocabularySizes(20) : VocabularySizes::separate(30, 20);
  Transformer model(config, sizes);
  initialize(model, 1);
  model->eval();
  std::map<std::string, std::vector<int64_t>> matrices;  // those with a row for each piece
  for (const auto& named : model->named_parameters()) {
    const auto rows = named.value().size(0);
    if (rows == 20 || rows == 30) matrices[named.key()] = named.value().sizes().vec();
  }
  std::map<std::string, std::vector<int64_t>> expected = {{"embedding.weight", {20, config.d_model}}};
  if (!tied.source_is_target) expected["source_embedding.weight"] = {30, config.d_model};
  if (!tied.output_is_target) expected["output_projection.weight"] = {20, config.d_model};
  CHECK(matrices == expected);
  const torch::Tensor output =
      model->named_parameters()[tied.output_is_target ? "embedding.weight" : "output_projection.weight"];
  CHECK(model->output_weight().data_ptr() == output.data_ptr());

  const int64_t last_piece = sizes.source() - 1;
  const auto source = sentences({{4, last_piece, 6, 3}, {7, 8, 3}}), target_in = sentences({{2, 9, 10}, {2, 19}});
  const auto logits = model->forward(source, target_in);
  CHECK(logits.sizes() == torch::IntArrayRef({5, 20}));
  CHECK(max_difference(logits, torch::linear(model->decode(target_in, model->encode(source)).data, output)) == 0);
}

TEST_CASE("transformer: the gradient of a tied matrix is the sum of those of equal separate matrices") {
  ModelConfig config = tiny_config();
  config.P_drop = 0;
  auto one_matrix = tiny_model(config);
  config.tied_embeddings = any_ties();
  Transformer model(config, 20);
  const auto shared = [&](const std::string& name) {
    return name == "source_embedding.weight" || name == "output_projection.weight" ? "embedding.weight" : name;
  };
  for (auto& named : model->named_parameters()) {
    const torch::NoGradGuard no_grad;
    named.value().copy_(one_matrix->named_parameters()[shared(named.key())]);
  }
  const auto loss_of = [](Transformer& of) {
    of->train();
    const auto source = sentences({{4, 5, 6, 3}, {7, 8, 3}}), target_in = sentences({{2, 9, 10}, {2, 11}});
    const auto loss = linear_cross_entropy(of->decode(target_in, of->encode(source)).data, of->output_weight(),
                                           torch::tensor({9, 10, 3, 11, 3}), 0.1)
                          .loss;
    loss.backward();
    return loss.item<double>();
  };
  CHECK(loss_of(model) == loss_of(one_matrix));
  std::map<std::string, torch::Tensor> gradients;
  for (const auto& named : model->named_parameters()) {
    auto& sum = gradients[shared(named.key())];
    sum = sum.defined() ? sum + named.value().grad() : named.value().grad();
  }
  for (const auto& named : one_matrix->named_parameters()) {
    INFO(named.key());
    CHECK(max_difference(gradients.at(named.key()), named.value().grad()) < 1e-5);
  }
}

TEST_CASE("transformer: vocabularies of different sizes cannot have one embedding matrix") {
  ModelConfig config = tiny_config();
  config.tied_embeddings = GENERATE(EmbeddingTies::all, EmbeddingTies::source_and_target);
  CHECK_THROWS_WITH(Transformer(config, VocabularySizes::separate(30, 40)),
                    Catch::StartsWith("model.tied_embeddings: ") &&
                        Catch::Contains("needs vocabularies of the same size, but the source has 30 pieces and the "
                                        "target 40; set it to target_and_output or none"));
}

TEST_CASE("transformer: without model.tied_embeddings, only a source with a vocabulary of its own has its own matrix") {
  const auto has_source_embedding = [](const VocabularySizes& sizes) {
    return Transformer(tiny_config(), sizes)->named_parameters().contains("source_embedding.weight");
  };
  CHECK_FALSE(has_source_embedding(20));
  CHECK(has_source_embedding(VocabularySizes::separate(20, 20)));
}

TEST_CASE("transformer: stepping with the cache gives what the whole decoder gives") {
  const bool fused = GENERATE(true, false), restricted = GENERATE(false, true);
  std::optional<PlainOperations> plain;
  if (!fused) plain.emplace();
  ModelConfig config = kernel_config();
  if (restricted) config.r = 4;                                     // two words before the present one
  const auto variant = static_cast<size_t>(GENERATE(range(0, 6)));  // the paper's model, and others
  if (variant > 0) config = family_configs(config).at(variant - 1);
  auto model = tiny_model(config);
  randomize_vectors(model);
  torch::NoGradGuard no_grad;
  const auto source = sentences({{4, 5, 6, 3}, {7, 8, 3}});
  const auto target_in = sentences({{2, 9, 10, 11, 12, 13, 14}, {2, 12, 13, 14, 15, 16, 17}});
  const auto target = target_in.pad();                                          // [2, 7]
  const auto whole = target_in.packing.pad(model->forward(source, target_in));  // [2, 7, vocab]
  auto state = model->empty_state();
  model->begin({0, 1}, source, state);
  for (int64_t t = 0; t < target.size(1); ++t) {
    std::vector<StepRow> rows;
    for (int64_t i = 0; i < 2; ++i) {
      rows.push_back({.sentence_id = i, .parent = t == 0 ? -1 : i, .token = target[i][t].item<TokenId>()});
    }
    CHECK(max_difference(model->step(rows, state), whole.select(1, t)) < 1e-5);
  }
}

TEST_CASE("transformer: a decoder that starts from zeros ignores its first token, and no other") {
  ModelConfig config = tiny_config();
  config.decoder_start = DecoderStart::zeros;
  auto model = tiny_model(config);
  if (GENERATE(false, true)) model->train();
  torch::NoGradGuard no_grad;
  const auto source = sentences({{4, 5, 3}, {4, 5, 3}});
  const auto logits = [&](const PackedSequence& target_in) {
    const DropoutScope scope(1, {0, 1});
    return model->forward(source, target_in);
  };
  const auto expected = logits(sentences({{2, 9}, {2, 9, 2}}));
  CHECK(torch::equal(logits(sentences({{3, 9}, {11, 9, 2}})), expected));
  CHECK_FALSE(torch::equal(logits(sentences({{2, 9}, {2, 9, 3}})), expected));
}

TEST_CASE("transformer: the kernels give every variant the loss and the gradients of the plain forms") {
  const auto config = family_configs(kernel_config()).at(static_cast<size_t>(GENERATE(range(0, 5))));
  const Form form = GENERATE(Form::cpu, Form::gpu);
  const auto step = [&](bool is_plain) {
    auto model = tiny_model(config);
    randomize_vectors(model);
    model->train();
    std::optional<PlainOperations> plain;
    const StandInAttention attention;
    std::optional<HostGpuForm> gpu;
    if (is_plain) {
      plain.emplace();
    } else if (form == Form::gpu) {
      gpu.emplace();
    }
    const DropoutScope scope(1, {0, 1});
    const auto source = sentences({{4, 5, 6, 3}, {7, 8, 3}}), target_in = sentences({{2, 9, 10}, {2, 11}});
    const auto loss = linear_cross_entropy(model->decode(target_in, model->encode(source)).data, model->output_weight(),
                                           torch::tensor({9, 10, 3, 11, 3}), 0.1, model->output_bias())
                          .loss;
    loss.backward();
    std::map<std::string, torch::Tensor> results = {{"loss", loss.detach()}};
    for (const auto& named : model->named_parameters()) results[named.key()] = named.value().grad();
    return results;
  };
  const auto plain = step(true), kernels = step(false);
  REQUIRE(plain.size() == kernels.size());
  for (const auto& [name, value] : plain) {
    INFO(name);
    CHECK(max_difference(kernels.at(name), value) < 1e-4 * std::max(1.0, value.abs().max().item<double>()));
  }
}

TEST_CASE("transformer: hypotheses fork, end and change their order, and sentences join and end, in one search") {
  const bool fused = GENERATE(true, false);
  std::optional<PlainOperations> plain;
  if (!fused) plain.emplace();
  auto model = tiny_model(kernel_config());
  torch::NoGradGuard no_grad;
  auto state = model->empty_state();
  model->begin({7, 5}, sentences({{4, 5, 6, 3}, {7, 8, 3}}), state);
  model->step({{7, -1, 2}, {5, -1, 2}}, state);
  model->step({{7, 0, 9}, {7, 0, 10}, {5, 1, 11}, {5, 1, 12}}, state);
  model->begin({1}, sentences({{9, 3}}), state);  // and sentence 7 is over
  model->step({{5, 3, 13}, {1, -1, 2}, {5, 2, 14}, {5, 3, 15}}, state);
  model->begin({2}, sentences({{4, 4, 4, 4, 3}}), state);
  const auto logits = model->step({{2, -1, 2}, {5, 3, 16}, {1, 1, 9}, {5, 2, 17}}, state);
  const auto whole =
      model->forward(sentences({{4, 4, 4, 4, 3}, {7, 8, 3}, {9, 3}, {7, 8, 3}}),
                     sentences({{2}, {2, 12, 15, 16}, {2, 9}, {2, 11, 14, 17}}));  // [1 + 4 + 2 + 4, vocab]
  CHECK(max_difference(logits, whole.index_select(0, torch::tensor({0, 4, 6, 10}))) < 1e-5);
}

TEST_CASE("transformer: a long search reuses its cache slots") {
  auto model = tiny_model(tiny_config());
  torch::NoGradGuard no_grad;
  auto state = model->empty_state();
  for (int64_t number = 0; number < 2500; ++number) {
    model->begin({number}, sentences({{4, 5, 6, 3}}), state);
    for (int64_t t = 0; t < 5; ++t) model->step({{number, t == 0 ? -1 : 0, 5}}, state);
  }
  CHECK(state.layers[0].target.key().size(0) == 8192);
  CHECK(state.layers[0].memory.key().size(0) == 8192);
}

TEST_CASE("transformer: attention over the source is a distribution over each sentence's own positions") {
  auto model = tiny_model(tiny_config());
  torch::NoGradGuard no_grad;
  const auto source = sentences({{4, 5, 6, 3}, {7, 3}});
  const auto weights = last_cross_attention_weights(model, source, sentences({{2, 9}, {2, 12, 13}})).mean(1);
  CHECK(weights.sizes() == torch::IntArrayRef({2, 3, 4}));
  CHECK(max_difference(weights.sum(2), torch::ones({2, 3})) < 1e-5);
  CHECK(weights[1].narrow(1, 2, 2).abs().max().item<double>() == 0);
  const auto alone = last_cross_attention_weights(model, sentences({{7, 3}}), sentences({{2, 12, 13}})).mean(1);
  CHECK(max_difference(weights[1].narrow(1, 0, 2), alone[0]) < 1e-6);
}

TEST_CASE("transformer: with packed matrices a step gives nearly what it gave before") {
  const auto [type, tolerance] = GENERATE(table<WeightType, double>(
      {{WeightType::fp32, 1e-5}, {WeightType::bf16, 0.05}, {WeightType::fp16, 0.005}, {WeightType::int8, 0.05}}));
  ModelConfig config = kernel_config();
  config.tied_embeddings = GENERATE(EmbeddingTies::all, EmbeddingTies::none);
  const auto variant = static_cast<size_t>(GENERATE(range(0, 6)));
  if (variant > 0) config = family_configs(config).at(variant - 1);
  const auto make_model = [&] {
    Transformer made = tiny_model(config);
    randomize_vectors(made);  // begins with the seed that initialization left
    return made;
  };
  torch::ScalarType key_type{};
  const auto logits = [&](Transformer model) {
    torch::NoGradGuard no_grad;
    auto state = model->empty_state();
    model->begin({0, 1}, sentences({{4, 5, 6, 3}, {7, 8, 3}}), state);
    model->step({{0, -1, 2}, {1, -1, 2}}, state);
    const auto y = model->step({{0, 0, 9}, {1, 1, 10}}, state);
    key_type = state.layers[0].target.key().scalar_type();
    CHECK(state.layers[0].memory.value().scalar_type() == key_type);
    return y;
  };
  const auto before = logits(make_model());
  auto model = make_model();
  model->pack(type);
  const double error = (logits(model) - before).norm().item<double>() / before.norm().item<double>();
  CHECK(error < tolerance);
  if (type != WeightType::fp32) CHECK(error > 0);
  CHECK(key_type == storage_type(type));
}

TEST_CASE("transformer: packing converts the rows of a source embedding of its own, too") {
  Transformer model(kernel_config(), VocabularySizes::separate(30, 40));
  initialize(model, 1);
  model->eval();
  model->pack(WeightType::bf16);
  CHECK(model->named_parameters()["source_embedding.weight"].scalar_type() == torch::kBFloat16);
  const torch::NoGradGuard no_grad;
  CHECK(model->encode(sentences({{4, 5, 3}})).data.scalar_type() == torch::kFloat);
}

TEST_CASE("transformer: initialization follows deviation D1") {
  ModelConfig config = tiny_config();
  config.d_model = 64;
  config.position = Position::learned;
  config.max_positions = 30;
  config.tied_embeddings = EmbeddingTies::none;
  config.attention_bias = config.output_bias = config.embedding_layer_norm = true;
  const auto vocabularies = VocabularySizes::separate(500, 1000);
  Transformer model(config, vocabularies);
  initialize(model, 1);
  for (const auto& named : model->named_parameters()) {
    INFO(named.key());
    const auto& p = named.value();
    if (named.key() == "embedding.weight" || named.key() == "source_embedding.weight" ||
        named.key() == "output_projection.weight") {
      CHECK(p.std().item<double>() == Approx(0.125).epsilon(0.02));
    } else if (p.dim() == 2 && named.key().find("positions") == std::string::npos) {
      const double bound = std::sqrt(6.0 / static_cast<double>(p.size(0) + p.size(1)));
      CHECK(p.abs().max().item<double>() <= bound);
      CHECK(p.std().item<double>() == Approx(bound / std::sqrt(3.0)).epsilon(0.1));
    } else if (p.dim() == 1) {
      const double expected = named.key().ends_with("norm.weight") ? 1 : 0;
      CHECK(max_difference(p, torch::full_like(p, expected)) == 0);
    } else {
      REQUIRE(named.key().ends_with("positions.weight"));
      CHECK(p.std().item<double>() == Approx(0.125).epsilon(0.05));
    }
  }
  Transformer again(config, vocabularies);
  initialize(again, 1);
  CHECK(torch::equal(model->parameters()[0], again->parameters()[0]));
}

}  // namespace transformer
