#include "training/workers.h"

#include <ATen/Parallel.h>

#include <atomic>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "catch.h"
#include "corpora.h"
#include "limited_memory.h"
#include "training/trainee.h"

namespace transformer {
namespace {

const std::vector<std::vector<int64_t>> kMicroBatches = {{0, 1, 2, 3, 4, 5}, {6},      {7, 8, 9}, {10, 11},
                                                         {12, 13, 14, 15},   {16, 17}, {18}};

Trainee trainee_with(int num_workers, TrainingConfig config = quick_config()) {
  return {config,     Trainee::with_dropout(tiny_config(), 0.3), torch::kFloat, Trainee::kVocabulary, torch::kCPU,
          num_workers};
}

}  // namespace

TEST_CASE("any number of workers takes the same steps, bit for bit") {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.gradient_clip = 0.5;
  config.weight_decay = 0.01;
  config.ema_decay = 0.9;
  const int caller_threads = at::get_num_threads();
  at::set_num_threads(1);  // as many as each worker has
  Trainee alone = trainee_with(1, config), several = trainee_with(GENERATE(2, 3, 9), config);
  for (int64_t step = 1; step <= 5; ++step) {
    const StepResult one = alone.step(*corpus, kMicroBatches, step), other = several.step(*corpus, kMicroBatches, step);
    CHECK(one.loss == other.loss);
    CHECK(one.negative_log_likelihood == other.negative_log_likelihood);
  }
  at::set_num_threads(caller_threads);
  CHECK(parameter_difference(*alone.model, *several.model) == 0);
  for (const auto& moment : alone.optimizer.state()) {
    CHECK(torch::equal(moment.value(), several.optimizer.state().at(moment.key())));
  }
  for (const auto& average : alone.replica.moving_average->state()) {
    CHECK(torch::equal(average.value(), several.replica.moving_average->state().at(average.key())));
  }
}

TEST_CASE("when memory runs out in a worker, all micro-batches are halved, and the step is repeated") {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  Trainee whole = trainee_with(1), halved = trainee_with(3);
  const StepResult expected = whole.step(*corpus, kMicroBatches, 1);
  const auto refused = static_cast<int>(GENERATE(range(0, 1500, 100)));
  INFO("tensor " << refused << " is refused");
  const auto result = [&] {
    std::atomic<int> tensors = 0;
    const LimitedMemory memory([&](size_t) { return tensors++ == refused; });
    const LaunchedStep launched = halved.launch(*corpus, kMicroBatches, 1);
    CHECK(launched.halvings == 1);
    return launched.wait(halved.alone);
  }();
  CHECK(result.loss == Approx(expected.loss).epsilon(1e-5));
  CHECK(parameter_difference(*whole.model, *halved.model) < 1e-5);
}

TEST_CASE("an error in a worker reaches the caller, and the next step begins with no gradients") {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  Trainee trainee = trainee_with(2), other = trainee_with(2);
  const auto failing = [&](Transformer& model, int64_t i) -> torch::Tensor {
    if (i == 3) throw std::runtime_error("micro-batch 3");
    return model->parameters()[0].sum();
  };
  CHECK_THROWS_WITH(trainee.workers.add_gradients(7, failing), "micro-batch 3");
  CHECK(trainee.step(*corpus, kMicroBatches, 1).loss == other.step(*corpus, kMicroBatches, 1).loss);
  CHECK(parameter_difference(*trainee.model, *other.model) == 0);
}

TEST_CASE("workers share the parameters, also after these have changed") {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  Trainee trainee = trainee_with(2);
  trainee.step(*corpus, kMicroBatches, 1);
  std::vector<const void*> own, of_workers;
  for (const auto& parameter : trainee.model->parameters()) own.push_back(parameter.const_data_ptr());
  std::mutex mutex;
  const auto loss = [&](Transformer& model, int64_t /*i*/) {
    const std::lock_guard lock(mutex);
    of_workers.clear();
    auto sum = torch::zeros({});
    for (const auto& parameter : model->parameters()) {
      of_workers.push_back(parameter.const_data_ptr());
      sum = sum + parameter.sum();
    }
    return sum;
  };
  trainee.workers.add_gradients(2, loss);
  CHECK(of_workers == own);
}

TEST_CASE("a step whose loss is not finite in one worker is skipped") {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  Trainee trainee = trainee_with(2);
  trainee.step(*corpus, kMicroBatches, 1);
  {
    const torch::NoGradGuard no_grad;
    const auto pair = (*corpus)[18];  // alone in its micro-batch
    trainee.model->parameters()[0][pair.source[0]].fill_(std::numeric_limits<float>::quiet_NaN());
  }
  CHECK(trainee.step(*corpus, kMicroBatches, 2).skipped);
}

}  // namespace transformer
