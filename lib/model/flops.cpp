#include "model/flops.h"

#include <algorithm>

namespace transformer {

double forward_flops(const ModelConfig& c, int64_t vocabulary_size, int64_t S, int64_t T) {
  const auto s = static_cast<double>(S), t = static_cast<double>(T);
  const auto d_model = static_cast<double>(c.d_model);
  const auto keys = static_cast<double>(c.h * c.key_size()), values = static_cast<double>(c.h * c.value_size());
  const double network = 2 * d_model * static_cast<double>(c.d_ff);
  const double queries_and_output = d_model * (keys + values), keys_and_values = d_model * (keys + values);
  const auto scores = [&](double queries, double positions) { return queries * positions * (keys + values); };
  const auto most_seen = [&](double positions, double sides) {
    return c.r ? std::min(positions, sides * static_cast<double>(c.reach()) + 1) : positions;
  };
  const double encoder = s * (queries_and_output + keys_and_values + network) + scores(s, most_seen(s, 2));
  const double decoder = t * (2 * queries_and_output + keys_and_values + network) + s * keys_and_values +
                         scores(t, most_seen(t, 1)) + scores(t, s);
  const double logits = t * d_model * static_cast<double>(vocabulary_size);
  return 2 * (static_cast<double>(c.N) * (encoder + decoder) + logits);
}

double training_flops_per_token(const ModelConfig& config, int64_t vocabulary_size) {
  return 3 * forward_flops(config, vocabulary_size, kTypicalTokens, kTypicalTokens) / kTypicalTokens;
}

double training_flops(const ModelConfig& config, int64_t vocabulary_size, int64_t batch_tokens, int64_t steps) {
  return training_flops_per_token(config, vocabulary_size) * static_cast<double>(batch_tokens * steps);
}

double estimated_training_flops(double seconds, double devices, double sustained_flops) {
  return seconds * devices * sustained_flops;
}

}  // namespace transformer
