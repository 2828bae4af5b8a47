#include "training/train_step.h"

#include <torch/nn/functional.h>

#include <limits>
#include <set>

#include "catch.h"
#include "corpora.h"
#include "data/batch.h"
#include "limited_memory.h"
#include "training/trainee.h"

namespace transformer {

TEST_CASE("a step's batch is divided into micro-batches that contain every pair, and counts its target tokens") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  const ProcessGroup alone{Membership()};
  const std::vector<int64_t> pairs = {3, 1, 4, 15, 9, 2, 6};
  const StepBatch batch = make_step_batch(*corpus, pairs, 15, alone);
  CHECK(batch.pairs == pairs);
  CHECK(batch.micro_batches.size() > 1);
  std::multiset<int64_t> seen;
  int64_t tokens = 0;
  for (const auto& micro_batch : batch.micro_batches) seen.insert(micro_batch.begin(), micro_batch.end());
  for (const int64_t pair : pairs) tokens += std::ssize((*corpus)[pair].target) + 1;
  CHECK(seen == std::multiset<int64_t>(pairs.begin(), pairs.end()));
  CHECK(batch.target_tokens == tokens);
}

TEST_CASE("when memory runs out in the forward or backward pass, micro-batches are halved, with the same result") {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  const std::vector<std::vector<int64_t>> micro_batches = {{0, 1, 2, 3, 4, 5, 6}, {7}, {8, 9}};
  Trainee whole(quick_config(), 0.3, torch::kDouble), halved(quick_config(), 0.3, torch::kDouble);
  const StepResult expected = whole.step(*corpus, micro_batches, 1);
  int tensors = 0;
  const auto refused = static_cast<int>(GENERATE(range(0, 700, 50)));
  INFO("tensor " << refused << " is refused");
  const auto result = [&] {
    const LimitedMemory memory([&](size_t) { return tensors++ == refused; });
    const LaunchedStep launched = halved.launch(*corpus, micro_batches, 1);
    CHECK(launched.halvings == 1);
    return launched.wait(halved.alone);
  }();
  CHECK(result.loss == Approx(expected.loss).epsilon(1e-12));
  CHECK(parameter_difference(*whole.model, *halved.model) < 1e-12);
}

TEST_CASE("micro-batches are halved until they fit, and a pair that does not fit alone is an error") {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  Trainee trainee(quick_config(), 0.3);
  const auto halvings = [&](size_t max_bytes) {
    const LimitedMemory memory([&](size_t bytes) { return bytes > max_bytes; });
    return trainee.launch(*corpus, {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}}, 1).halvings;
  };
  CHECK(halvings(1 << 20) == 0);
  CHECK(halvings(7500) == 2);
  CHECK_THROWS_AS(halvings(40), c10::OutOfMemoryError);
}

TEST_CASE("an error in a worker says which lines of the training text its micro-batch has") {
  const FormulaCorpus corpus(20, 2 * Trainee::kVocabulary, 12);  // has ids that the model's vocabulary lacks
  const int workers = GENERATE(1, 2);
  Trainee trainee(quick_config(), tiny_config(), torch::kFloat, Trainee::kVocabulary, torch::kCPU, workers);
  CHECK_THROWS_WITH(trainee.launch(*corpus, {{7, 3, 9}}, 1),
                    Catch::Contains("(in lines 8, 4 and 10 of the training text, counted through all files"));
  CHECK_THROWS_WITH(trainee.launch(*corpus, {{4}}, 1), Catch::Contains("(in line 5 of the training text, counted"));
}

TEST_CASE("steps with the GPU kernels equal those with the CPU kernels, dropout included", "[gpu]") {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.precision = GENERATE(Precision::fp32, Precision::bf16);
  const bool is_fp32 = config.precision == Precision::fp32;
  const ModelConfig architecture = Trainee::with_dropout(tiny_config(), 0.3);
  Trainee cpu(config, architecture);
  Trainee gpu(config, architecture, torch::kFloat, Trainee::kVocabulary, GpuForm::device());
  for (int64_t step = 1; step <= 3; ++step) {
    const std::vector<std::vector<int64_t>> micro_batches = {{step, 17, 30}, {40 + step, 5}};
    const StepResult expected = cpu.step(*corpus, micro_batches, step);
    const GpuForm form;
    CHECK(gpu.step(*corpus, micro_batches, step).loss == Approx(expected.loss).epsilon(is_fp32 ? 1e-5 : 5e-3));
  }
  if (is_fp32) CHECK(parameter_difference(*cpu.model, *gpu.model) < 1e-4);
}

TEST_CASE("a step is not repeated once its gradients are summed") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  const std::vector<std::vector<int64_t>> micro_batches = {{0, 1, 2, 3}};
  Trainee counted(quick_config()), trainee(quick_config());
  int tensors = 0;
  {
    const LimitedMemory memory([&](size_t) { return ++tensors, false; });
    counted.step(*corpus, micro_batches, 1);
  }
  // The last tensors are those of the losses' sum, the gradient norm and the update.
  int seen = 0;
  const LimitedMemory memory([&](size_t) { return ++seen == tensors; });
  CHECK_THROWS_AS(trainee.step(*corpus, micro_batches, 1), c10::OutOfMemoryError);
  CHECK_FALSE(trainee.parallel.can_repeat_step());
  CHECK(seen == tensors);
}

TEST_CASE("a step drops other elements than any other step") {
  const FormulaCorpus corpus(8, Trainee::kVocabulary, 12);
  Trainee trainee(quick_config(), 0.3);
  trainee.config.learning_rate_scale = 1e-30;  // keeps the parameters as they are
  const std::vector<std::vector<int64_t>> micro_batches = {{0, 1, 2, 3}};
  std::set<double> losses;
  for (int64_t step = 1; step <= 5; ++step) {
    losses.insert(trainee.step(*corpus, micro_batches, step).loss);
  }
  CHECK(losses.size() == 5);
  const double again = trainee.step(*corpus, micro_batches, 5).loss;
  CHECK(losses.contains(again));
}

TEST_CASE("the gradient of a step is that of its mean loss over all its tokens") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  Trainee trainee(quick_config(), 0.0, torch::kDouble);
  trainee.config.learning_rate_scale = 1e-30;  // the test compares gradients, not updates
  const std::vector<std::vector<int64_t>> micro_batches = {{0, 1, 2}, {3}, {4, 5, 6, 7, 8, 9}};
  trainee.step(*corpus, micro_batches, 1);

  Trainee other(quick_config(), 0.0, torch::kDouble);
  const Batch batch = make_batch(*corpus, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto logits = other.model->forward(batch.source, batch.target_in);
  const auto loss = torch::nn::functional::cross_entropy(
      logits, batch.target_out,
      torch::nn::functional::CrossEntropyFuncOptions().label_smoothing(0.1).reduction(torch::kMean));
  other.optimizer.zero_grad();
  loss.backward();
  for (size_t i = 0; i < trainee.model->parameters().size(); ++i) {
    CHECK(max_difference(trainee.model->parameters()[i].grad(), other.model->parameters()[i].grad()) < 1e-12);
  }
}

TEST_CASE("gradient clipping bounds the norm of the step's gradient") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.gradient_clip = 0.01;
  Trainee trainee(config);
  trainee.step(*corpus, {{0, 1, 2}}, 1);
  CHECK(trainee.optimizer.gradient_norm().item<double>() == Approx(0.01).epsilon(1e-4));
}

TEST_CASE("a step whose loss is not finite is skipped and changes no parameter") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  Trainee trainee(quick_config());
  {
    torch::NoGradGuard no_grad;
    trainee.model->parameters()[0][5][0] = std::numeric_limits<float>::quiet_NaN();
  }
  std::vector<torch::Tensor> before;
  for (const auto& parameter : trainee.model->parameters()) before.push_back(parameter.clone());
  CHECK(trainee.step(*corpus, {{0, 1, 2}}, 1).skipped);
  for (size_t i = 0; i < before.size(); ++i) {
    CHECK(torch::allclose(trainee.model->parameters()[i], before[i], /*rtol=*/0, /*atol=*/0, /*equal_nan=*/true));
  }
}

}  // namespace transformer
