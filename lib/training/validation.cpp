#include "training/validation.h"

#include <cmath>
#include <numeric>
#include <vector>

#include "data/batch_by_tokens.h"
#include "platform/out_of_memory.h"
#include "training/batch_loss.h"

namespace transformer {

namespace {

ValidationLoss loss_in_batches(Transformer& model, const Corpus& corpus, const TrainingConfig& config,
                               int64_t device_tokens) {
  std::vector<int64_t> pairs(static_cast<size_t>(corpus.size()));
  std::iota(pairs.begin(), pairs.end(), int64_t{0});
  double loss = 0, negative_log_likelihood = 0;
  int64_t tokens = 0;
  for (const auto& indices : batch_by_tokens(corpus, pairs, device_tokens)) {
    const Batch batch = make_batch(corpus, indices).to(model->device());
    const LossSums sums = batch_loss(model, batch, config);
    loss += sums.loss.item<double>();
    negative_log_likelihood += sums.negative_log_likelihood.item<double>();
    tokens += batch.num_target_tokens();
  }
  const auto n = static_cast<double>(tokens);
  return {loss / n, std::exp(negative_log_likelihood / n)};
}

}  // namespace

ValidationLoss validation_loss(Transformer& model, const Corpus& corpus, const TrainingConfig& config,
                               int64_t device_tokens) {
  torch::NoGradGuard no_grad;
  model->eval();
  return halve_until_it_fits("validation loss", "token", device_tokens, [&](int64_t fitting_tokens) {
    return loss_in_batches(model, corpus, config, fitting_tokens);
  });
}

}  // namespace transformer
