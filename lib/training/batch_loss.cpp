#include "training/batch_loss.h"

#include <c10/util/Exception.h>
#include <fmt/core.h>

#include "ops/dropout.h"

namespace transformer {

LossSums batch_loss(Transformer& model, const Batch& batch, const TrainingConfig& config) {
  const PrecisionScope scope(config.precision);
  const auto decoder_output = model->decode(batch.target_in, model->encode(batch.source));
  return linear_cross_entropy(decoder_output.matmul_input(), model->output_weight(), batch.target_out, config.eps_ls,
                              model->output_bias());
}

LossSums micro_batch_loss(Transformer& model, const SentencePairs& corpus, const std::vector<int64_t>& pairs,
                          const TrainingConfig& config, uint64_t dropout_seed) {
  const Batch batch = make_batch(corpus, pairs).to(model->device());
  const DropoutScope scope(dropout_seed, pairs);
  try {
    return batch_loss(model, batch, config);
  } catch (c10::Error& error) {
    error.add_context(fmt::format("in {} {} of the training text, counted through all files of data.train",
                                  pairs.size() == 1 ? "line" : "lines", line_numbers(corpus, pairs)));
    throw;
  }
}

}  // namespace transformer
