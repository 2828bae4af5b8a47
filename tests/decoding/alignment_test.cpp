#include "decoding/alignment.h"

#include "catch.h"
#include "data/batch.h"
#include "model/attention_weights.h"
#include "tiny_model.h"

namespace transformer {

TEST_CASE("an output piece is aligned with the source piece that the decoder attends to most when it predicts it") {
  const torch::NoGradGuard no_grad;
  std::vector<Transformer> models = {tiny_model(tiny_config())};
  const std::vector<TokenId> source = {4, 5, 6, 7}, output = {9, 10, 11, 12, 13};
  const Batch batch = make_batch({SentencePair{source, output, 0}}, SpecialTokens());
  const auto weights = last_cross_attention_weights(models[0], batch.source, batch.target_in).mean(1);  // [1, 6, 5]
  const auto expected = weights[0].narrow(0, 0, 5).narrow(1, 0, 4).argmax(1);
  const auto alignment = align(models, {{&source, output}}, SpecialTokens()).front();
  REQUIRE(alignment.size() == 5);
  for (int64_t t = 0; t < 5; ++t) {
    CHECK(alignment[static_cast<size_t>(t)].source == expected[t].item<int64_t>());
    CHECK(alignment[static_cast<size_t>(t)].output == t);
  }
}

TEST_CASE("an unknown output piece is aligned with the unknown source piece that the decoder attends to most") {
  const torch::NoGradGuard no_grad;
  std::vector<Transformer> models = {tiny_model(tiny_config())};
  const TokenId unknown = SpecialTokens().unknown;
  const std::vector<TokenId> source = {4, unknown, 6, 7, unknown}, output = {9, unknown, 11, unknown, 13, unknown};
  const Batch batch = make_batch({SentencePair{source, output, 0}}, SpecialTokens());
  const auto weights = last_cross_attention_weights(models[0], batch.source, batch.target_in).mean(1)[0];  // [7, 6]
  const auto alignment = align(models, {{&source, output}}, SpecialTokens()).front();
  REQUIRE(alignment.size() == output.size());
  for (size_t t = 0; t < output.size(); ++t) {
    const auto of_output = weights[static_cast<int64_t>(t)];  // [6]
    const int64_t best = of_output.narrow(0, 0, 5).argmax().item<int64_t>();
    const int64_t best_unknown = of_output[1].item<float>() > of_output[4].item<float>() ? 1 : 4;
    CHECK(alignment[t].source == (output[t] == unknown ? best_unknown : best));
  }
}

TEST_CASE("the models of an ensemble align with the sum of their attention weights") {
  const torch::NoGradGuard no_grad;
  std::vector<Transformer> models = {tiny_model(tiny_config()), tiny_model(tiny_config())};
  initialize(models[1], 2);
  const std::vector<TokenId> source = {4, 5, 6, 7, 8, 9, 10, 11};
  const std::vector<TokenId> output = {9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 4, 5, 6, 7, 8};
  const Batch batch = make_batch({SentencePair{source, output, 0}}, SpecialTokens());
  const auto weights = [&](Transformer& model) {
    const auto heads = last_cross_attention_weights(model, batch.source, batch.target_in);
    return heads.mean(1)[0].narrow(0, 0, std::ssize(output)).narrow(1, 0, std::ssize(source));
  };
  const auto expected = (weights(models[0]) + weights(models[1])).argmax(1);
  for (Transformer& model : models) REQUIRE_FALSE(torch::equal(expected, weights(model).argmax(1)));
  const auto alignment = align(models, {{&source, output}}, SpecialTokens()).front();
  REQUIRE(alignment.size() == output.size());
  for (size_t t = 0; t < output.size(); ++t) {
    CHECK(alignment[t].source == expected[static_cast<int64_t>(t)].item<int64_t>());
  }
}

TEST_CASE("an output without an end symbol may be as long as the learned positions of the model that aligns it") {
  const torch::NoGradGuard no_grad;
  ModelConfig config = tiny_config();
  config.position = Position::learned;
  config.max_positions = 6;
  std::vector<Transformer> models = {tiny_model(config)};
  const std::vector<TokenId> source = {4, 5, 6, 7, 8};
  const auto alignments =
      align(models, {{&source, {7, 8, 9, 10, 11, 12}}, {&source, {}}, {&source, {7, 8}}}, SpecialTokens());
  REQUIRE(alignments.size() == 3);
  CHECK(alignments[0].size() == 6);
  CHECK(alignments[1].empty());
  REQUIRE(alignments[2].size() == 2);
  for (size_t t = 0; t < 2; ++t) CHECK(alignments[2][t].source == alignments[0][t].source);
}

}  // namespace transformer
