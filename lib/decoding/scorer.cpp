#include "decoding/scorer.h"

#include <fmt/core.h>

#include "data/batch.h"
#include "data/batch_by_tokens.h"
#include "data/pair_length.h"
#include "decoding/encode_line.h"
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
      tokenizers_(tokenizers),
      batch_tokens_(batch_tokens),
      source_file_(std::move(source_file)),
      target_file_(std::move(target_file)) {}

std::vector<PairScore> Scorer::score(const std::vector<LinePair>& lines) {
  torch::NoGradGuard no_grad;
  model_->eval();
  std::vector<std::vector<int32_t>> sources, targets;  // the pairs refer to their elements
  for (const LinePair& pair : lines) {
    sources.push_back(encode(tokenizers_.source(), pair.source, source_file_, pair.line, invalid_source_lines_));
    targets.push_back(encode(tokenizers_.target(), pair.target, target_file_, pair.line, invalid_target_lines_));
  }
  std::vector<SentencePair> pairs;
  for (size_t i = 0; i < lines.size(); ++i) pairs.push_back({sources[i], targets[i], lines[i].line});
  num_pairs_ += static_cast<int64_t>(pairs.size());

  std::vector<PairScore> scores(pairs.size());
  for (const auto& indices : batch_by_tokens(pairs, batch_tokens_)) {
    const auto log_probs = pair_log_probs(model_, make_batch(pairs, indices).to(model_->device())).cpu();
    for (size_t i = 0; i < indices.size(); ++i) {
      const auto pair = static_cast<size_t>(indices[i]);
      scores[pair] = {log_probs[static_cast<int64_t>(i)].item<double>(), target_tokens(pairs[pair])};
    }
  }
  for (const PairScore& score : scores) {
    total_.log_prob += score.log_prob;
    total_.num_tokens += score.num_tokens;
  }
  return scores;
}

std::vector<int32_t> Scorer::encode(const Tokenizer& tokenizer, const std::string& text, const std::string& file,
                                    int64_t line, FoundLines& invalid_lines) const {
  EncodedLine encoded =
      encode_whole_line(tokenizer, text, length_limit(model_->config()), fmt::format("{}:{}", shown_path(file), line));
  if (encoded.was_invalid) invalid_lines.add(line);
  return std::move(encoded.pieces);
}

}  // namespace transformer
