#include "inference/scorer.h"

#include <cmath>
#include <utility>

#include "data/batch.h"
#include "data/batch_by_tokens.h"
#include "data/pair_length.h"
#include "decoding/non_finite_scores.h"
#include "ops/linear_cross_entropy.h"

namespace transformer {
namespace {

/// log P(target | source) of each pair of the batch: [B].
torch::Tensor pair_log_probs(Transformer& model, const Batch& batch) {
  const auto decoded = model->decode(batch.target_in, model->encode(batch.source));
  const auto tokens = target_log_probs(decoded.data, model->output_weight(), batch.target_out);  // [target positions]
  return batch.target_in.packing.pad(tokens.to(torch::kDouble)).sum(1);
}

}  // namespace

Scorer::Scorer(Transformer& model, const Tokenizers& tokenizers, int64_t batch_tokens, std::string source_file,
               std::string target_file)
    : model_(model),
      batch_tokens_(batch_tokens),
      source_(tokenizers.source(), length_limit(model->config()), std::move(source_file)),
      target_(tokenizers.target(), length_limit(model->config()), std::move(target_file)) {}

std::vector<PairScore> Scorer::score(const std::vector<LinePair>& lines) {
  torch::NoGradGuard no_grad;
  model_->eval();
  std::vector<std::vector<int32_t>> sources, targets;  // the pairs refer to their elements
  for (const LinePair& pair : lines) {
    sources.push_back(source_.encode(pair.source, pair.line));
    targets.push_back(target_.encode(pair.target, pair.line));
  }
  std::vector<SentencePair> pairs;
  for (size_t i = 0; i < lines.size(); ++i) pairs.push_back({sources[i], targets[i], lines[i].line});
  num_pairs_ += static_cast<int64_t>(pairs.size());

  std::vector<PairScore> scores(pairs.size());
  for (const auto& indices : batch_by_tokens(longest_first(pairs), batch_tokens_)) {
    const auto log_probs = pair_log_probs(model_, make_batch(pairs, indices).to(model_->device())).cpu();
    for (size_t i = 0; i < indices.size(); ++i) {
      const auto pair = static_cast<size_t>(indices[i]);
      scores[pair] = {log_probs[static_cast<int64_t>(i)].item<double>(), target_tokens(pairs[pair])};
      if (!std::isfinite(scores[pair].log_prob)) throw NonFiniteScores();
    }
  }
  for (const PairScore& score : scores) {
    total_.log_prob += score.log_prob;
    total_.num_tokens += score.num_tokens;
  }
  return scores;
}

}  // namespace transformer
