#include "decoding/sampling.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/mix.h"

namespace transformer {
namespace {

/// Uniform in [0, 1), by the key and the number of the draw.
double uniform(uint64_t key, size_t draw) { return static_cast<double>(mix(key + mix(draw + 1)) >> 11) * 0x1.0p-53; }

/// The token that the number u in [0, 1) falls on. log_probs [vocab] on the CPU.
int64_t draw(const torch::Tensor& log_probs, const SamplingOptions& options, double u) {
  const bool all = options.top_k == 0 || options.top_k >= log_probs.size(0);
  const auto [values, tokens] = all ? std::tuple(log_probs, torch::Tensor()) : log_probs.topk(options.top_k);
  const auto sums = torch::softmax(values.to(torch::kDouble) / options.temperature, 0).cumsum(0);
  const auto *begin = sums.const_data_ptr<double>(), *end = begin + sums.size(0);
  const auto place = std::upper_bound(begin, end, u * end[-1]) - begin;
  return all ? place : tokens[place].item<int64_t>();
}

}  // namespace

std::vector<Hypothesis> sample(SearchModel& model, const std::vector<int64_t>& max_lengths,
                               const std::vector<uint64_t>& keys, const SamplingOptions& options,
                               const OutputRules& rules) {
  std::vector<Hypothesis> outputs(max_lengths.size());
  std::vector<size_t> live(max_lengths.size());  // numbers of the sentences that go on
  std::iota(live.begin(), live.end(), size_t{0});
  std::vector<int64_t> last_tokens(live.size(), rules.begin);
  while (!live.empty()) {
    std::vector<ConstrainedRow> rows;
    for (const size_t sentence : live) rows.push_back({sentence, &outputs[sentence].tokens});
    const auto log_probs = constrained(model.next_log_probs(torch::tensor(last_tokens)), rules, rows).cpu();
    std::vector<size_t> going_on;
    std::vector<int64_t> kept;
    last_tokens.clear();
    for (size_t row = 0; row < live.size(); ++row) {
      const size_t sentence = live[row];
      Hypothesis& output = outputs[sentence];
      const auto choices = log_probs[static_cast<int64_t>(row)];
      const double u = uniform(mix(options.seed ^ keys[sentence]), output.tokens.size());
      const int64_t token = draw(choices, options, u);
      output.tokens.push_back(token);
      output.token_log_probs.push_back(choices[token].item<float>());
      output.log_prob += output.token_log_probs.back();
      if (token == rules.end || std::ssize(output.tokens) >= max_lengths[sentence]) continue;
      going_on.push_back(sentence);
      kept.push_back(static_cast<int64_t>(row));
      last_tokens.push_back(token);
    }
    live = std::move(going_on);
    if (!live.empty()) model.keep(torch::tensor(kept), torch::tensor(kept));
  }
  return outputs;
}

}  // namespace transformer
