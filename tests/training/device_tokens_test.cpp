#include "training/device_tokens.h"

#include <optional>

#include "catch.h"
#include "corpora.h"
#include "limited_memory.h"
#include "platform/device.h"
#include "tensors.h"
#include "tiny_model.h"
#include "training/memory_estimate.h"

namespace transformer {
namespace {

constexpr int32_t kVocabulary = 30;
constexpr int64_t kPlentiful = int64_t{1} << 40;

TrainingConfig config_of(std::optional<int64_t> device_tokens) {
  TrainingConfig config;
  config.batch_tokens = 3000;
  config.device_tokens = device_tokens;
  return config;
}

}  // namespace

TEST_CASE("the estimated memory of a token is close to what micro-batches take") {
  const FormulaCorpus corpus(2000, kVocabulary, 40);
  ModelConfig config = tiny_config();
  config.d_model = 64;
  config.d_ff = 256;
  Transformer model = tiny_model(config, kVocabulary);
  TrainingConfig training = config_of({});
  training.precision = GENERATE(Precision::fp32, Precision::bf16);
  const bool fused = GENERATE(true, false);
  std::optional<PlainOperations> plain;
  if (!fused) plain.emplace();
  const auto measured = static_cast<double>(measure_token_bytes(model, *corpus, training));
  training.cpu_kernels = fused;
  const auto estimate = static_cast<double>(estimate_memory(config, kVocabulary, training, /*is_gpu=*/false).per_token);
  INFO(EnumNames<Precision>::names[static_cast<size_t>(training.precision)] << (fused ? "" : ", plain operations"));
  INFO(measured << " bytes measured, " << estimate << " estimated");
  CHECK(estimate > 0.8 * measured);
  CHECK(estimate < 1.6 * measured);
}

TEST_CASE("a micro-batch has device_tokens tokens, or as many as fit into memory, measured with the longest pairs") {
  const FormulaCorpus corpus(2000, kVocabulary, 40);
  Transformer model = tiny_model(tiny_config(), kVocabulary);
  const ProcessGroup alone{Membership()};
  const auto choose = [&](std::optional<int64_t> configured, int64_t memory) {
    return choose_device_tokens(model, *corpus, config_of(configured), alone, memory);
  };
  CHECK(choose(77, 0) == 77);
  CHECK(choose({}, kPlentiful) == 825);                  // a quarter of a step, and a tenth more
  CHECK_FALSE(model->parameters()[0].grad().defined());  // nothing was measured

  const MemoryEstimate estimate = estimate_memory(model->config(), kVocabulary, config_of({}), /*is_gpu=*/false);
  const int64_t fitted = choose({}, 2 * estimate.total(700));  // training may use half of a CPU's memory
  CHECK(model->parameters()[0].grad().defined());
  CHECK(fitted <= 700);
  CHECK(fitted > 150);

  const LimitedMemory memory([](size_t bytes) { return bytes > 20000; });
  CHECK(choose({}, 2 * estimate.total(1500)) == 512);
}

TEST_CASE("a micro-batch is smaller where its tokens were measured to take more memory than estimated") {
  const FormulaCorpus corpus(2000, kVocabulary, 40);
  ModelConfig config = tiny_config();
  config.attention_dropout = 0.1;
  Transformer model = tiny_model(config, kVocabulary);
  const PlainOperations plain;  // which save the attention weights, and these the estimate does not count
  const MemoryEstimate estimate = estimate_memory(config, kVocabulary, config_of({}), /*is_gpu=*/false);
  const ProcessGroup alone{Membership()};
  CHECK(choose_device_tokens(model, *corpus, config_of({}), alone, 2 * estimate.total(700)) < 700);
}

TEST_CASE("a micro-batch takes no more memory than a step, however many tokens it may have") {
  const ProcessGroup alone{Membership()};
  const auto workers_with = [&](int64_t device_tokens) {
    TrainingConfig config = config_of(device_tokens);
    config.workers = 4;
    return choose_workers(tiny_config(), kVocabulary, config, torch::kCPU, alone);
  };
  CHECK(workers_with(int64_t{1} << 50) == workers_with(3000));
}

TEST_CASE("the ranks of a machine share its memory") {
  const ProcessGroup group(Membership{.local_world_size = 4});
  CHECK(memory_for_rank(torch::kCPU, group) == available_memory(torch::kCPU) / 4);
}

}  // namespace transformer
