#include "training/memory_estimate.h"

#include "catch.h"
#include "model/model_cost.h"

namespace transformer {
namespace {

constexpr int64_t kVocabulary = 37000;

MemoryEstimate estimate(const ModelConfig& config, Precision precision = Precision::fp32, bool is_gpu = false) {
  TrainingConfig training;
  training.precision = precision;
  return estimate_memory(config, kVocabulary, training, is_gpu);
}

}  // namespace

TEST_CASE("memory estimate: bf16 halves the activations of matrix products, and adds converted parameters") {
  const ModelConfig base;
  const auto fp32 = estimate(base);
  const auto bf16 = estimate(base, Precision::bf16);
  CHECK(bf16.per_token < fp32.per_token);
  CHECK(bf16.per_token > fp32.per_token / 2);
  // All parameters in bf16, instead of the joined matrices in fp32.
  CHECK(bf16.fixed - fp32.fixed == 2 * 63045632 - 4 * 8 * 6 * 512 * 512);
  // The joined matrices are as wide as queries and keys (in all three attentions) and values are.
  const auto joined = [&](int64_t d_k, int64_t d_v) {
    ModelConfig config;
    config.d_k = d_k;
    config.d_v = d_v;
    return 2 * num_parameters(config, kVocabulary) - (estimate(config, Precision::bf16).fixed - estimate(config).fixed);
  };
  CHECK(joined(16, 64) == 4 * 6 * 512 * 8 * (5 * 16 + 3 * 64));
  CHECK(joined(64, 16) == 4 * 6 * 512 * 8 * (5 * 64 + 3 * 16));
}

TEST_CASE("memory estimate: a checkpoint is a copy of parameters and moments, and the moving average is kept, too") {
  TrainingConfig training;
  const auto without = estimate_memory(ModelConfig(), kVocabulary, training, /*is_gpu=*/false);
  training.ema_decay = 0.999;
  const auto with_average = estimate_memory(ModelConfig(), kVocabulary, training, /*is_gpu=*/false);
  CHECK(without.checkpoint == 12 * 63045632);
  CHECK(with_average.checkpoint == 16 * 63045632);
  CHECK(with_average.fixed - without.fixed == 4 * 63045632);
}

TEST_CASE("memory estimate: a further embedding matrix needs memory for its gradient and moments, too") {
  const auto fixed = [](std::optional<EmbeddingTies> ties) {
    ModelConfig config;
    config.tied_embeddings = ties;
    return estimate_memory(config, kVocabulary, TrainingConfig(), /*is_gpu=*/false).fixed;
  };
  const int64_t one_matrix = 16 * kVocabulary * 512;
  CHECK(fixed(EmbeddingTies::source_and_target) - fixed({}) == one_matrix);
  CHECK(fixed(EmbeddingTies::none) - fixed({}) == 2 * one_matrix);
}

TEST_CASE("memory estimate: each of several workers has gradients and activations of its own") {
  const auto estimate = [](int num_workers) {
    return estimate_memory(ModelConfig(), kVocabulary, TrainingConfig(), /*is_gpu=*/false, /*num_ranks=*/1,
                           num_workers);
  };
  const auto one = estimate(1), two = estimate(2), three = estimate(3);
  CHECK(two.per_token == 2 * one.per_token);
  CHECK(two.fixed - one.fixed > 2 * 4 * 63045632);
  CHECK(two.fixed - one.fixed == three.fixed - two.fixed + 4 * 63045632);
}

TEST_CASE("memory estimate: ranks share the moments if they are sharded, and have buckets beside gradients") {
  TrainingConfig training;
  const auto fixed = [&](bool is_gpu, int num_ranks) {
    return estimate_memory(ModelConfig(), kVocabulary, training, is_gpu, num_ranks).fixed;
  };
  CHECK(fixed(/*is_gpu=*/false, 4) == fixed(/*is_gpu=*/false, 1) + 4 * 63045632);
  CHECK(fixed(/*is_gpu=*/true, 4) == fixed(/*is_gpu=*/true, 1) + 4 * 63045632);
  const int64_t unsharded = fixed(/*is_gpu=*/false, 4);
  training.shard_optimizer = true;
  CHECK(unsharded - fixed(/*is_gpu=*/false, 4) == 6 * 63045632);
}

TEST_CASE("memory estimate: a block of logits is larger on a GPU") {
  const auto fixed = [](bool is_gpu) { return estimate({}, Precision::fp32, is_gpu).fixed; };
  CHECK(fixed(/*is_gpu=*/true) - fixed(/*is_gpu=*/false) == 2 * 4 * kVocabulary * (3628 - 256));
}

TEST_CASE("memory estimate: flash attention on a GPU adds up the query's gradient in fp32, in tiles of 128 positions") {
  const auto per_token = [](bool is_gpu) { return estimate({}, Precision::fp32, is_gpu).per_token; };
  const double query_gradient = 4. * 8 * 64 * (29 + 128) / 29;
  CHECK(static_cast<double>(per_token(/*is_gpu=*/true) - per_token(/*is_gpu=*/false)) ==
        Approx(query_gradient).margin(1));
}

TEST_CASE("memory estimate: restricted self-attention takes no more for a token than full attention") {
  ModelConfig config;
  const auto full = estimate(config);
  config.r = 33;
  const auto restricted = estimate(config);
  CHECK(restricted.per_token == full.per_token);
}

TEST_CASE("memory estimate: sizes whose products overflow give the largest number") {
  ModelConfig config;
  config.N = config.d_model = config.d_ff = config.h = 1 << 20;
  config.d_k = config.d_v = 1 << 20;
  const auto memory = estimate(config);
  CHECK(memory.fixed == 9'000'000'000'000'000'000);
  CHECK(memory.per_token == 9'000'000'000'000'000'000);
  CHECK(memory.total(1'000'000'000) == 9'000'000'000'000'000'000);
  CHECK(fitted_device_tokens(memory, 1000000, /*is_gpu=*/false, 25000) == 256);
}

TEST_CASE("memory estimate: a micro-batch fits into memory and is no larger than the step") {
  const MemoryEstimate memory{.fixed = 1000, .per_token = 10};
  CHECK(fitted_device_tokens(memory, 20000, /*is_gpu=*/false, 25000) == 900);
  CHECK(fitted_device_tokens(memory, 20000, /*is_gpu=*/true, 25000) == 1500);
  CHECK(fitted_device_tokens(memory, 1000000, /*is_gpu=*/false, 25000) == 2048);
  CHECK(fitted_device_tokens(memory, 1000000, /*is_gpu=*/false, 4000) == 1100);  // a quarter, and a tenth more
  CHECK(fitted_device_tokens(memory, 1000000, /*is_gpu=*/false, 1000) == 512);
  CHECK(fitted_device_tokens(memory, 1000000, /*is_gpu=*/false, 300) == 300);
  CHECK(fitted_device_tokens(memory, 1000000, /*is_gpu=*/true, 25000) == 25000);
  CHECK(fitted_device_tokens(memory, 0, /*is_gpu=*/false, 25000) == 256);
}

}  // namespace transformer
