#include "decoding/sampling.h"

#include <algorithm>
#include <tuple>

#include "base/splitmix64.h"

namespace transformer {
namespace {

/// A random number in [0, 1), determined by the key and the index of the draw.
double uniform(uint64_t key, size_t draw) {
  return static_cast<double>(splitmix64(key + splitmix64(draw + 1)) >> 11) * 0x1.0p-53;
}

/// Inverse transform sampling with the random number u in [0, 1). log_probs [vocab] on the CPU.
int64_t draw(const torch::Tensor& log_probs, const SamplingOptions& options, double u) {
  const bool all = options.top_k == 0 || options.top_k >= log_probs.size(0);
  const auto [values, tokens] = all ? std::tuple(log_probs, torch::Tensor()) : log_probs.topk(options.top_k);
  const auto sums = torch::softmax(values.to(torch::kDouble) / options.temperature, 0).cumsum(0);
  const auto *begin = sums.const_data_ptr<double>(), *end = begin + sums.size(0);
  const auto index = std::upper_bound(begin, end, u * end[-1]) - begin;
  return all ? index : tokens[index].item<int64_t>();
}

}  // namespace

void sample(SearchModel& model, SentenceQueue& queue, const std::vector<uint64_t>& keys, const SamplingOptions& options,
            const OutputRules& rules, std::vector<Hypothesis>& outputs) {
  std::vector<StepRow> rows;  // one for each running sentence
  const auto refill = [&] {
    std::vector<int64_t> running;
    for (const StepRow& row : rows) running.push_back(row.sentence);
    const auto joining = queue.take(running);
    if (!joining.empty()) model.begin(joining);
    for (const int64_t number : joining) rows.push_back({.sentence = number, .parent = -1, .token = rules.begin});
  };
  for (refill(); !rows.empty(); refill()) {
    std::vector<PartialOutput> partial_outputs;
    for (const StepRow& row : rows) {
      partial_outputs.push_back({row.sentence, &outputs[static_cast<size_t>(row.sentence)].tokens});
    }
    const auto log_probs =
        mask_log_probs(torch::log_softmax(model.step(rows), 1, torch::kFloat).cpu(), rules, partial_outputs);
    std::vector<StepRow> unfinished;
    for (int64_t row = 0; row < std::ssize(rows); ++row) {
      const int64_t sentence = rows[static_cast<size_t>(row)].sentence;
      Hypothesis& output = outputs[static_cast<size_t>(sentence)];
      const auto choices = log_probs[row];
      const double u = uniform(splitmix64(options.seed ^ keys[static_cast<size_t>(sentence)]), output.tokens.size());
      const int64_t token = draw(choices, options, u);
      output.tokens.push_back(token);
      output.token_log_probs.push_back(choices[token].item<float>());
      output.log_prob += output.token_log_probs.back();
      if (token == rules.end || std::ssize(output.tokens) >= queue.max_length(sentence)) continue;
      unfinished.push_back({.sentence = sentence, .parent = row, .token = token});
    }
    rows = std::move(unfinished);
  }
}

}  // namespace transformer
