#include "decoding/sampling.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/splitmix64.h"
#include "decoding/next_token_rules.h"
#include "decoding/non_finite_scores.h"
#include "decoding/run_search.h"
#include "ops/to_device.h"

namespace transformer {
namespace {

/// A random number in [0, 1), determined by the key and the index of the draw.
double uniform(uint64_t key, size_t draw) {
  return static_cast<double>(splitmix64(key + splitmix64(draw + 1)) >> 11) * 0x1.0p-53;
}

/// Inverse transform sampling with random numbers [rows, 1] in [0, 1): a token for each row of log_probs [rows, vocab],
/// int64 [rows, 1].
torch::Tensor draw(const torch::Tensor& log_probs, const SamplingOptions& options, const torch::Tensor& randoms) {
  const int64_t top_k = options.top_k == 0 ? log_probs.size(1) : std::min(options.top_k, log_probs.size(1));
  const bool all = top_k == log_probs.size(1) && options.top_p >= 1;  // which need not be sorted
  const auto [values, tokens] = all ? std::tuple(log_probs, torch::Tensor()) : log_probs.topk(top_k, 1);
  const auto sums = torch::softmax(values.to(torch::kDouble) / options.temperature, 1).cumsum(1);
  // Where the sums are NaN, an index would be past the end of the row.
  const auto find = [&](const torch::Tensor& sum, bool right) {
    return torch::searchsorted(sums, sum, /*out_int32=*/false, right).clamp_max(sums.size(1) - 1);
  };
  auto total = sums.slice(1, -1);  // [rows, 1]
  if (options.top_p < 1) total = sums.gather(1, find(total * options.top_p, /*right=*/false));
  const auto index = find(randoms * total, /*right=*/true);
  return all ? index : tokens.gather(1, index);
}

/// The tokens drawn with a random number for each row of log_probs [rows, vocab], and their log-probabilities: fp64
/// [rows, 2], on the CPU.
torch::Tensor draw_from_rows(const torch::Tensor& log_probs, const SamplingOptions& options,
                             const std::vector<double>& randoms) {
  // On a CPU, blocks of rows whose log-probabilities fit into the cache are faster.
  static constexpr int64_t kBlockElements = 32768;
  const int64_t block =
      log_probs.is_cpu() ? std::max(int64_t{1}, kBlockElements / log_probs.size(1)) : log_probs.size(0);
  const auto log_prob_blocks = log_probs.split(block);
  const auto random_blocks =
      to_device(torch::tensor(randoms, torch::kDouble).unsqueeze(1), log_probs.device()).split(block);
  std::vector<torch::Tensor> drawn;
  for (size_t i = 0; i < log_prob_blocks.size(); ++i) {
    drawn.push_back(draw(log_prob_blocks[i], options, random_blocks[i]));
  }
  const auto tokens = torch::cat(drawn);  // [rows, 1]
  // In one tensor, to wait for a GPU only once; doubles hold both exactly.
  return torch::cat({tokens.to(torch::kDouble), log_probs.gather(1, tokens).to(torch::kDouble)}, 1).cpu();
}

}  // namespace

void sample(SearchModel& model, SentenceQueue& queue, const SamplingOptions& options,
            const SpecialTokens& special_tokens) {
  const auto advance = [&](const torch::Tensor& logits, const std::vector<NextTokenRules>& rules,
                           std::vector<RunningSentence>& sentences) {
    std::vector<double> randoms;
    for (const RunningSentence& sentence : sentences) {
      const uint64_t key = splitmix64(options.seed ^ sentence.queued->request().sampling_key);
      randoms.push_back(uniform(key, sentence.live.front().tokens.size()));
    }
    const auto log_probs = apply_rules(torch::log_softmax(logits, 1, torch::kFloat), rules);
    const auto drawn = draw_from_rows(log_probs, options, randoms);
    const auto pairs = drawn.accessor<double, 2>();
    for (RunningSentence& sentence : sentences) {
      const auto pair = pairs[sentence.first_row];
      const auto token = static_cast<TokenId>(pair[0]);
      const NextTokenRules& of_row = rules[static_cast<size_t>(sentence.first_row)];
      if (!std::isfinite(pair[1]) && of_row.permits_none(logits.size(1))) {
        sentence.end_without_permitted_token();
        continue;
      }
      check_is_finite(pair[1]);
      LiveHypothesis next = extended(sentence, 0, token, pair[1]);
      sentence.live.front() = std::move(next);
      sentence.is_done =
          token == special_tokens.end || std::ssize(sentence.live.front().tokens) >= sentence.max_length();
      if (sentence.is_done) sentence.finished = {std::move(sentence.live.front())};
    }
  };
  run_search(model, queue, special_tokens.decoder_start, advance);
}

}  // namespace transformer
