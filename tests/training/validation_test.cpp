#include "training/validation.h"

#include "catch.h"
#include "corpora.h"
#include "limited_memory.h"
#include "training/trainee.h"

namespace transformer {

TEST_CASE("validation loss is the mean over the tokens and does not depend on the size of batches") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  Trainee trainee(quick_config(), 0.3);
  const TokenLoss small = validation_loss(trainee.model, *corpus, trainee.config, 30);
  const TokenLoss large = validation_loss(trainee.model, *corpus, trainee.config, 10000);
  CHECK(small.loss_per_token() == Approx(large.loss_per_token()).epsilon(1e-5));
  CHECK(small.perplexity() == Approx(large.perplexity()).epsilon(1e-5));
  CHECK(small.perplexity() > 5);
}

TEST_CASE("validation that runs out of memory is repeated in smaller batches, with the same loss") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  Trainee trainee(quick_config(), 0.3);
  const TokenLoss whole = validation_loss(trainee.model, *corpus, trainee.config, 400);
  const auto with_at_most = [&](size_t max_bytes) {
    const LimitedMemory memory([&](size_t bytes) { return bytes > max_bytes; });
    return validation_loss(trainee.model, *corpus, trainee.config, 400);
  };
  CHECK(with_at_most(5000).loss_per_token() == Approx(whole.loss_per_token()).epsilon(1e-6));
  CHECK_THROWS_AS(with_at_most(40), c10::OutOfMemoryError);
}

}  // namespace transformer
