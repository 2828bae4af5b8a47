#include "decoding/scorer.h"

#include "base/error.h"
#include "data/batch.h"
#include "data/batch_sampler.h"
#include "data/clean_line.h"
#include "ops/linear_cross_entropy.h"

namespace transformer {
namespace {

/// log P of each pair of the batch: [B].
torch::Tensor pair_log_probs(Transformer& model, const Batch& batch) {
  const auto decoded = model->decode(batch.target_in, model->encode(batch.source), batch.source);  // [B, T, d_model]
  const auto real = batch.target_out.flatten().ne(kPad).nonzero().squeeze(1);                      // [tokens]
  const auto tokens = target_log_probs(decoded.flatten(0, 1).index_select(0, real), model->output_weight(),
                                       batch.target_out.flatten().index_select(0, real));
  const auto sums = torch::zeros(batch.target_out.numel(), tokens.options().dtype(torch::kDouble));
  return sums.index_copy(0, real, tokens.to(torch::kDouble)).view_as(batch.target_out).sum(1);
}

}  // namespace

Scorer::Scorer(Transformer& model, const Tokenizer& tokenizer, int64_t batch_tokens, std::string source_file,
               std::string target_file)
    : model_(model),
      tokenizer_(tokenizer),
      batch_tokens_(batch_tokens),
      source_file_(std::move(source_file)),
      target_file_(std::move(target_file)) {}

std::vector<PairScore> Scorer::score(const std::vector<std::string>& sources, const std::vector<std::string>& targets) {
  TORCH_CHECK(sources.size() == targets.size(), sources.size(), " sources, ", targets.size(), " targets");
  torch::NoGradGuard no_grad;
  model_->eval();
  std::vector<std::vector<int32_t>> ids;
  for (size_t i = 0; i < sources.size(); ++i) {
    ++num_pairs_;
    ids.push_back(encode(sources[i], source_file_));
    ids.push_back(encode(targets[i], target_file_));
  }
  std::vector<SentencePair> pairs;
  for (size_t i = 0; i < sources.size(); ++i) pairs.push_back({ids[2 * i], ids[2 * i + 1], 0});

  std::vector<PairScore> scores(pairs.size());
  for (const auto& slice : cut_into_slices(pairs, batch_tokens_)) {
    std::vector<SentencePair> chosen;
    for (const int64_t number : slice) chosen.push_back(pairs[static_cast<size_t>(number)]);
    const auto log_probs = pair_log_probs(model_, make_batch(chosen).to(model_->device())).cpu();
    for (size_t i = 0; i < slice.size(); ++i) {
      scores[static_cast<size_t>(slice[i])] = {log_probs[static_cast<int64_t>(i)].item<double>(),
                                               static_cast<int64_t>(chosen[i].target.size()) + 1};
    }
  }
  for (const PairScore& score : scores) {
    total_.log_prob += score.log_prob;
    total_.num_tokens += score.num_tokens;
  }
  return scores;
}

std::vector<int32_t> Scorer::encode(const std::string& line, const std::string& file) {
  const auto [text, was_invalid] = clean_line(line);
  if (was_invalid) ++num_invalid_lines_;
  auto pieces = tokenizer_.encode(text);
  const auto limit = model_->config().max_positions;
  if (limit && static_cast<int64_t>(pieces.size()) + 1 > *limit) {
    throw Error(file, ":", num_pairs_, ": has ", pieces.size(), " pieces and the end symbol, but the model's learned ",
                "positions end at ", *limit, "; shorten the line, or use a model with sinusoidal positions");
  }
  return pieces;
}

}  // namespace transformer
