#include "training/trainer.h"

#include <limits>
#include <set>

#include "base/error.h"
#include "catch.h"
#include "corpora.h"
#include "limited_memory.h"
#include "tensors.h"
#include "work.h"

namespace transformer {
namespace {

constexpr int32_t kVocabulary = 30;
constexpr AdamOptions kPaper = {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9};

TrainingConfig quick_config() {
  TrainingConfig config;
  config.batch_tokens = 400;
  config.warmup_steps = 10;
  config.log_every = 1;
  return config;
}

/// A model, its optimizer, and the means to train them.
struct Bench {
  explicit Bench(const TrainingConfig& training, double P_drop, torch::Dtype type = torch::kFloat)
      : config(training), model(make_model(P_drop, type)), optimizer(*model, kPaper) {}

  static Transformer make_model(double P_drop, torch::Dtype type) {
    ModelConfig config = tiny_config();
    config.P_drop = P_drop;
    Transformer made = tiny_model(config, kVocabulary);
    made->to(type);
    made->train();
    return made;
  }

  void train(const Corpus& corpus, int64_t steps, int64_t device_tokens) {
    config.train_steps = steps;
    transformer::train(replica(), corpus, config, device_tokens, state,
                       {.log = [&](const StepResult& sum, double,
                                   double) { losses.push_back(sum.loss / static_cast<double>(sum.target_tokens)); },
                        .validate = [] { return 0.0; },
                        .save = [&] { ++saves; }});
  }

  Replica replica() { return {model, optimizer, parallel}; }
  /// One step over these slices.
  StepResult step(const Corpus& corpus, const std::vector<std::vector<int64_t>>& slices, int64_t number) {
    return train_step(replica(), corpus, work_of(corpus, slices), config, number);
  }

  TrainingConfig config;
  Transformer model;
  Adam optimizer;
  ProcessGroup alone{Membership()};
  DataParallel parallel{*model, alone};
  TrainingState state;
  std::vector<double> losses;
  int saves = 0;
};

double parameter_difference(Transformer& a, Transformer& b) {
  double largest = 0;
  for (size_t i = 0; i < a->parameters().size(); ++i) {
    largest = std::max(largest, max_difference(a->parameters()[i], b->parameters()[i]));
  }
  return largest;
}

}  // namespace

TEST_CASE("training lowers the loss") {
  const FormulaCorpus corpus(200, kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.learning_rate_scale = 0.5;
  Bench bench(config, 0.1);
  bench.train(*corpus, 60, 400);
  CHECK(bench.state.step == 60);
  CHECK(bench.losses.size() == 60);
  CHECK(bench.losses.back() < 0.8 * bench.losses.front());
  CHECK(bench.saves >= 1);
}

TEST_CASE("training does not depend on how a step is cut into slices, dropout included") {
  const FormulaCorpus corpus(200, kVocabulary, 12);
  const double P_drop = GENERATE(0.0, 0.3);
  Bench whole(quick_config(), P_drop, torch::kDouble), cut(quick_config(), P_drop, torch::kDouble);
  whole.train(*corpus, 5, 100000);
  cut.train(*corpus, 5, 60);
  for (size_t i = 0; i < 5; ++i) CHECK(whole.losses[i] == Approx(cut.losses[i]).epsilon(1e-9));
  CHECK(parameter_difference(whole.model, cut.model) < 1e-8);
}

TEST_CASE("where memory runs out while gradients are computed, slices are halved, with the same result") {
  const FormulaCorpus corpus(200, kVocabulary, 12);
  const std::vector<std::vector<int64_t>> slices = {{0, 1, 2, 3, 4, 5, 6}, {7}, {8, 9}};
  Bench whole(quick_config(), 0.3, torch::kDouble), halved(quick_config(), 0.3, torch::kDouble);
  const StepResult expected = whole.step(*corpus, slices, 1);
  int tensors = 0;
  const auto refused = static_cast<int>(GENERATE(range(0, 700, 50)));
  INFO("tensor " << refused << " is refused");
  StepResult result;
  {
    const LimitedMemory memory([&](size_t) { return tensors++ == refused; });
    result = halved.step(*corpus, slices, 1);
  }
  CHECK(result.halvings == 1);
  CHECK(result.loss == Approx(expected.loss).epsilon(1e-12));
  CHECK(parameter_difference(whole.model, halved.model) < 1e-12);
}

TEST_CASE("slices are halved until they fit, for good, and a pair that does not fit alone ends training") {
  const FormulaCorpus corpus(200, kVocabulary, 12);
  Bench bench(quick_config(), 0.3);
  const auto halvings = [&](size_t most_bytes) {
    const LimitedMemory memory([&](size_t bytes) { return bytes > most_bytes; });
    return bench.step(*corpus, {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}}, 1).halvings;
  };
  CHECK(halvings(1 << 20) == 0);
  CHECK(halvings(5000) == 2);
  CHECK_THROWS_AS(halvings(40), c10::OutOfMemoryError);

  bench.train(*corpus, 1, 400);
  const LimitedMemory memory([&](size_t bytes) { return bytes > 5000; });
  bench.train(*corpus, 3, 400);
  CHECK(bench.losses.size() == 3);
}

TEST_CASE("training drops other elements in every step") {
  const FormulaCorpus corpus(8, kVocabulary, 12);
  Bench bench(quick_config(), 0.3);
  bench.config.learning_rate_scale = 1e-30;  // the same parameters in every step
  const std::vector<std::vector<int64_t>> slices = {{0, 1, 2, 3}};
  std::set<double> losses;
  for (int64_t step = 1; step <= 5; ++step) {
    losses.insert(bench.step(*corpus, slices, step).loss);
  }
  CHECK(losses.size() == 5);
  const double again = bench.step(*corpus, slices, 5).loss;
  CHECK(losses.contains(again));
}

TEST_CASE("training stopped and taken up again ends in the same parameters, bit for bit") {
  const FormulaCorpus corpus(200, kVocabulary, 12);
  Bench unbroken(quick_config(), 0.3), first(quick_config(), 0.3), second(quick_config(), 0.3);
  unbroken.train(*corpus, 9, 100);
  first.train(*corpus, 4, 100);
  set_parameters(*second.model, copy_parameters(*first.model), "");
  second.optimizer.set_state(first.optimizer.state(), "");
  second.state = first.state;
  second.train(*corpus, 9, 100);
  CHECK(parameter_difference(unbroken.model, second.model) == 0);
  CHECK(unbroken.losses.back() == second.losses.back());
}

TEST_CASE("the gradient of a step is that of its mean loss over all its tokens") {
  const FormulaCorpus corpus(40, kVocabulary, 12);
  Bench bench(quick_config(), 0.0, torch::kDouble);
  bench.config.learning_rate_scale = 1e-30;  // looks at the gradient, not at the update
  const std::vector<std::vector<int64_t>> slices = {{0, 1, 2}, {3}, {4, 5, 6, 7, 8, 9}};
  bench.step(*corpus, slices, 1);

  Bench other(quick_config(), 0.0, torch::kDouble);
  const Batch batch = make_batch(*corpus, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto logits = other.model->forward(batch.source, batch.target_in);
  const auto loss = torch::nn::functional::cross_entropy(
      logits, batch.target_out,
      torch::nn::functional::CrossEntropyFuncOptions().label_smoothing(0.1).reduction(torch::kMean));
  other.optimizer.zero_grad();
  loss.backward();
  for (size_t i = 0; i < bench.model->parameters().size(); ++i) {
    CHECK(max_difference(bench.model->parameters()[i].grad(), other.model->parameters()[i].grad()) < 1e-12);
  }
}

TEST_CASE("gradient clipping bounds the norm of the step's gradient") {
  const FormulaCorpus corpus(40, kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.gradient_clip = 0.01;
  Bench bench(config, 0.0);
  bench.step(*corpus, {{0, 1, 2}}, 1);
  CHECK(bench.optimizer.gradient_norm() == Approx(0.01).epsilon(1e-4));
}

TEST_CASE("a step whose loss is not finite is skipped, and ten in a row end the run") {
  const FormulaCorpus corpus(40, kVocabulary, 12);
  Bench bench(quick_config(), 0.0);
  torch::NoGradGuard no_grad;
  bench.model->parameters()[0][5][0] = std::numeric_limits<float>::quiet_NaN();
  const auto before = bench.model->parameters()[1].clone();
  torch::AutoGradMode grad(true);
  CHECK(bench.step(*corpus, {{0, 1, 2}}, 1).skipped);
  CHECK(torch::equal(bench.model->parameters()[1], before));
  CHECK_THROWS_WITH(bench.train(*corpus, 50, 400),
                    Catch::Contains("step 10: loss or gradient was not finite in 10") && Catch::Contains("lines"));
}

TEST_CASE("patience ends training when validation no longer gets better") {
  const FormulaCorpus corpus(40, kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.validate_every = 2;
  config.patience = 3;
  Bench bench(config, 0.0);
  bench.config.train_steps = 100;
  std::vector<double> losses = {5, 4, 4.5, 3, 3.1, 3.2, 3.3, 1};
  size_t validations = 0;
  transformer::train(
      bench.replica(), *corpus, bench.config, 400, bench.state,
      {.log = [](const auto&, double, double) {}, .validate = [&] { return losses.at(validations++); }, .save = [] {}});
  CHECK(validations == 7);
  CHECK(bench.state.step == 14);
  CHECK(is_finished(bench.state, bench.config));
}

TEST_CASE("training in bf16 follows fp32 closely, but not exactly, and keeps fp32 parameters and moments") {
  const FormulaCorpus corpus(200, kVocabulary, 12);
  TrainingConfig config = quick_config();
  Bench fp32(config, 0.1);
  config.precision = Precision::bf16;
  Bench bf16(config, 0.1);
  fp32.train(*corpus, 8, 400);
  bf16.train(*corpus, 8, 400);
  for (size_t i = 0; i < fp32.losses.size(); ++i)
    CHECK(bf16.losses[i] == Approx(fp32.losses[i]).epsilon(0.02));  // rates of 0.02 make much of a last digit
  CHECK(bf16.losses != fp32.losses);
  for (const auto& parameter : bf16.model->parameters()) CHECK(parameter.scalar_type() == torch::kFloat);
  for (const auto& moment : bf16.optimizer.state()) CHECK(moment.value().scalar_type() == torch::kFloat);
}

TEST_CASE("validation loss is the mean over the tokens and does not depend on the slices") {
  const FormulaCorpus corpus(40, kVocabulary, 12);
  Bench bench(quick_config(), 0.3);
  const Validation small = validation_loss(bench.model, *corpus, bench.config, 30);
  const Validation large = validation_loss(bench.model, *corpus, bench.config, 10000);
  CHECK(small.loss == Approx(large.loss).epsilon(1e-5));
  CHECK(small.perplexity == Approx(large.perplexity).epsilon(1e-5));
  CHECK(small.perplexity > 5);
}

}  // namespace transformer
