#include "inference/scorer.h"

#include <fmt/core.h>

#include <utility>

#include "data/batch.h"
#include "data/batch_by_tokens.h"
#include "data/pair_length.h"
#include "decoding/non_finite_scores.h"
#include "inference/encode_line.h"
#include "model/decoder_start.h"
#include "ops/linear_cross_entropy.h"
#include "platform/worker_threads.h"

namespace transformer {
namespace {

/// log P(target | source) of each pair of the batch: [B].
torch::Tensor pair_log_probs(Transformer model, const Batch& batch) {
  const auto decoded = model->decode(batch.target_in, model->encode(batch.source));
  const auto tokens = target_log_probs(decoded.data, model->output_weight(), batch.target_out,
                                       model->output_bias());  // [target positions]
  return batch.target_in.packing.pad(tokens.to(torch::kDouble)).sum(1);
}

}  // namespace

Scorer::Scorer(Transformer model, const Tokenizers& tokenizers, int64_t batch_tokens, std::string source_name,
               std::string target_name, std::optional<SourceTags> tags)
    : model_(std::move(model)),
      tokenizers_(tokenizers),
      batch_tokens_(batch_tokens),
      source_name_(std::move(source_name)),
      target_name_(std::move(target_name)),
      tags_(std::move(tags)) {
  TORCH_CHECK(!model_->is_training(), "a model that scores must be in evaluation mode");
}

std::vector<PairScore> Scorer::score(const std::vector<LinePair>& lines) const {
  const torch::NoGradGuard no_grad;
  const LengthLimit limit = length_limit(model_->config());
  std::vector<EncodedLine> sources, targets;  // the pairs refer to their pieces
  for (const LinePair& pair : lines) {
    const auto place = [&](const std::string& name) { return fmt::format("{}:{}", name, pair.line); };
    sources.push_back(encode_whole_line(tokenizers_.source(), pair.source, limit, place(source_name_),
                                        tags_ ? tags_->before_line(pair.source) : std::vector<TokenId>()));
    targets.push_back(encode_whole_line(tokenizers_.target(), pair.target, limit, place(target_name_)));
  }
  std::vector<SentencePair> pairs;
  for (size_t i = 0; i < lines.size(); ++i) pairs.push_back({sources[i].pieces, targets[i].pieces, lines[i].line});

  const auto symbols = special_tokens_of(model_->config(), tokenizers_);
  std::vector<PairScore> scores(pairs.size());
  const auto batches = batch_by_tokens(longest_first(pairs), batch_tokens_);
  WorkerThreads workers(WorkerThreads::count_for(std::ssize(batches), model_->device()));
  workers.for_each(std::ssize(batches), [&](int /*worker*/, int64_t batch) {
    const auto& indices = batches[static_cast<size_t>(batch)];
    const auto log_probs = pair_log_probs(model_, make_batch(pairs, indices, symbols).to(model_->device())).cpu();
    for (size_t i = 0; i < indices.size(); ++i) {
      const auto pair = static_cast<size_t>(indices[i]);
      const auto log_prob = log_probs[static_cast<int64_t>(i)].item<double>();
      check_is_finite(log_prob);
      scores[pair] = {{log_prob, target_tokens(pairs[pair])},
                      sources[pair].was_invalid,
                      targets[pair].was_invalid,
                      sources[pair].num_unknown,
                      targets[pair].num_unknown};
    }
  });
  return scores;
}

}  // namespace transformer
