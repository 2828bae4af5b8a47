#include "inference/scorer.h"

#include "catch.h"
#include "data/batch.h"
#include "step_batch.h"
#include "tiny_model.h"
#include "training/train_step.h"
#include "word_tokenizer.h"

namespace transformer {
namespace {

const std::vector<LinePair> kPairs = {{"the cat", "der Hund", 1},
                                      {"the mat sat on the cat", "ein Hund saß auf der Matte", 2},
                                      {"", "der", 3},
                                      {"on the mat", "", 4},
                                      {"\xFF cat\r", "Hund", 5}};

std::vector<PairScore> scores(const Transformer& model, const Tokenizers& tokenizers, int64_t batch_tokens) {
  return Scorer(model, tokenizers, batch_tokens, "source", "target").score(kPairs);
}

}  // namespace

TEST_CASE("scorer: a pair's score is the sum of its pieces' log-probabilities, end symbol included") {
  const Tokenizers tokenizers(word_tokenizer());
  auto model = tiny_model(tiny_config(), tokenizers.target().size());
  const auto all = scores(model, tokenizers, 4096);
  REQUIRE(all.size() == 5);
  torch::NoGradGuard no_grad;
  for (const size_t i : {0, 1, 3}) {
    const auto source = tokenizers.source().encode(kPairs[i].source),
               target = tokenizers.target().encode(kPairs[i].target);
    const Batch batch = make_batch(std::vector<SentencePair>{{source, target, 1}}, tokenizers.special_tokens());
    const auto log_probs = torch::log_softmax(model->forward(batch.source, batch.target_in), 1);
    const double expected = log_probs.gather(1, batch.target_out.unsqueeze(1)).sum().item<double>();
    CHECK(all[i].log_prob == Approx(expected).epsilon(1e-5));
    CHECK(all[i].num_tokens == static_cast<int64_t>(target.size()) + 1);
  }
}

TEST_CASE("scorer refuses a model whose scores are not finite") {
  const Tokenizers tokenizers(word_tokenizer());
  auto model = tiny_model(tiny_config(), tokenizers.target().size());
  torch::NoGradGuard no_grad;
  for (auto& parameter : model->parameters()) parameter.mul_(1e30);
  CHECK_THROWS_WITH(scores(model, tokenizers, 4096), Catch::StartsWith("the model's scores are NaN or infinite; use "));
}

TEST_CASE("scorer: scores do not depend on the batches, and add up") {
  const Tokenizers tokenizers(word_tokenizer());
  auto model = tiny_model(tiny_config(), tokenizers.target().size());
  const auto together = scores(model, tokenizers, 4096), alone = scores(model, tokenizers, 1);
  const auto few = scores(model, tokenizers, 30);
  LogProb total;
  double sum = 0;
  int64_t num_invalid = 0;
  for (size_t i = 0; i < together.size(); ++i) {
    CHECK(together[i].log_prob == Approx(alone[i].log_prob).epsilon(1e-5));
    CHECK(together[i].log_prob == Approx(few[i].log_prob).epsilon(1e-5));
    total += few[i];
    sum += few[i].log_prob;
    num_invalid += (few[i].source_was_invalid ? 1 : 0) + (few[i].target_was_invalid ? 1 : 0);
  }
  CHECK(total.log_prob == Approx(sum));
  CHECK(few.size() == 5);
  CHECK(num_invalid == 1);
  CHECK(few[4].source_was_invalid);
}

TEST_CASE("scorer: the sum is the training loss of the same batch with eps_ls 0") {
  const Tokenizers tokenizers(word_tokenizer());
  ModelConfig config = tiny_config();
  config.P_drop = 0;
  auto model = tiny_model(config, tokenizers.target().size());
  const TemporaryDirectory directory;
  CorpusWriter writer(directory / "corpus.bin", tokenizers.target().size());
  for (size_t i = 0; i < 2; ++i) {
    const auto source = tokenizers.source().encode(kPairs[i].source),
               target = tokenizers.target().encode(kPairs[i].target);
    writer.add({source, target, static_cast<int64_t>(i) + 1});
  }
  writer.finish();
  const Corpus corpus(directory / "corpus.bin");
  TrainingConfig training;
  training.eps_ls = 0;
  const auto all = scores(model, tokenizers, 4096);
  model->train();
  const ProcessGroup alone{Membership()};
  Replica replica(model, training, alone);
  const StepResult step =
      train_step(replica, corpus, step_batch_of(corpus, {{0, 1}}), training, 1, /*learning_rate=*/0.0).wait(alone);
  CHECK(step.loss == Approx(-(all[0].log_prob + all[1].log_prob)).epsilon(1e-6));
  CHECK(step.target_tokens == all[0].num_tokens + all[1].num_tokens);
}

TEST_CASE("scorer: a line beyond learned positions is named with its file") {
  const Tokenizers tokenizers(word_tokenizer());
  ModelConfig config = tiny_config();
  config.position = Position::learned;
  config.max_positions = 6;
  auto model = tiny_model(config, tokenizers.target().size());
  const Scorer scorer(model, tokenizers, 100, "in.de", "out.en");
  CHECK_THROWS_WITH(scorer.score({{"cat", "cat", 1}, {"cat", "the mat sat on the cat", 2}}),
                    Catch::StartsWith("out.en:2: has ") && Catch::Contains("learned positions end at 6"));
}

}  // namespace transformer
