#include "training/validation.h"

#include "data/batch_by_tokens.h"
#include "data/pair_length.h"
#include "platform/out_of_memory.h"
#include "platform/worker_threads.h"
#include "training/batch_loss.h"

namespace transformer {
namespace {

TokenLoss loss_in_batches(Transformer& model, const Corpus& corpus, const TrainingConfig& config,
                          int64_t device_tokens) {
  const auto batches = batch_by_tokens(longest_pairs(corpus, corpus.size()), device_tokens);
  std::vector<TokenLoss> losses(batches.size());
  WorkerThreads workers(WorkerThreads::count_for(std::ssize(batches), model->device()));
  workers.for_each(std::ssize(batches), [&](int /*worker*/, int64_t i) {
    const Batch batch = make_batch(corpus, batches[static_cast<size_t>(i)]).to(model->device());
    const LossSums sums = batch_loss(model, batch, config);
    losses[static_cast<size_t>(i)] = {sums.loss.item<double>(), sums.negative_log_likelihood.item<double>(),
                                      batch.num_target_tokens()};
  });
  TokenLoss total;
  for (const TokenLoss& loss : losses) total += loss;
  return total;
}

}  // namespace

TokenLoss validation_loss(Transformer& model, const Corpus& corpus, const TrainingConfig& config,
                          int64_t device_tokens) {
  torch::NoGradGuard no_grad;
  model->eval();
  return halve_until_it_fits("validation loss", "token", device_tokens, [&](int64_t fitting_tokens) {
    return loss_in_batches(model, corpus, config, fitting_tokens);
  });
}

}  // namespace transformer
