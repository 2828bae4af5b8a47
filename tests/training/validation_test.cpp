#include "training/validation.h"

#include "catch.h"
#include "corpora.h"
#include "training/trainee.h"

namespace transformer {

TEST_CASE("validation loss is the mean over the tokens and does not depend on the size of batches") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  Trainee trainee(quick_config(), 0.3);
  const Validation small = validation_loss(trainee.model, *corpus, trainee.config, 30);
  const Validation large = validation_loss(trainee.model, *corpus, trainee.config, 10000);
  CHECK(small.loss == Approx(large.loss).epsilon(1e-5));
  CHECK(small.perplexity == Approx(large.perplexity).epsilon(1e-5));
  CHECK(small.perplexity > 5);
}

}  // namespace transformer
