#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transformer {

/// One line of metrics.jsonl. A training line has loss, perplexity, learning_rate, target_tokens_per_second, seconds
/// (of training so far), memory_bytes and devices; a validation line has valid_loss, valid_perplexity, valid_bleu and,
/// with `training.best_by` chrf or ter, valid_chrf or valid_ter. The keys of the second and further validation sets end
/// with an underscore and the set's name: valid_loss_news.
struct MetricsLine {
  int64_t step = 0;
  std::vector<std::pair<std::string, double>> values;  // in the order of the line

  /// The number with this name: NaN if the file has null, nullopt if the line has no such number.
  std::optional<double> value(std::string_view key) const;
};

/// The line of the file, such as `{"step":100,"loss":5.123}`; see step_lines.h. from_json throws Error.
void to_json(nlohmann::ordered_json& object, const MetricsLine& line);
void from_json(const nlohmann::ordered_json& object, MetricsLine& line);

/// The key of a validation line for the metric, a value of `training.best_by` or "perplexity": "valid_bleu". `set` is
/// the name of a second or further validation set, and empty for the first set: "valid_bleu_news".
std::string validation_key(std::string_view metric, std::string_view set = "");

/// The names of the second and further validation sets that have a loss, in the order of the lines.
std::vector<std::string> further_validation_sets(const std::vector<MetricsLine>& metrics);

}  // namespace transformer
