#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transformer {

/// One line of metrics.jsonl. A training line has loss, perplexity, learning_rate, target_tokens_per_second, seconds
/// (of training so far), memory_bytes and devices; a validation line has valid_loss, valid_perplexity, valid_bleu and,
/// with `training.best_by: chrf`, valid_chrf. The keys of the second and further validation sets end with an underscore
/// and the set's name: valid_loss_news.
struct Metrics {
  int64_t step = 0;
  std::vector<std::pair<std::string, double>> values;  // in the order of the line

  /// The number with this name: NaN if the file has null, nullopt if the line has no such number.
  std::optional<double> value(std::string_view key) const;
};

/// A run's metrics.jsonl, to which one JSON object per line is appended, such as `{"step":100,"loss":5.123}`. A resumed
/// run calls `drop_after` before its first `write`.
class MetricsFile {
 public:
  explicit MetricsFile(std::string path);

  /// See drop_step_lines_after.
  void drop_after(int64_t step);

  /// Appends the line. Numbers that are not finite are written as null.
  void write(const Metrics& line);

 private:
  std::string path_;
};

/// All lines of the file, in order; see read_step_lines.
std::vector<Metrics> read_metrics(const std::string& path);

}  // namespace transformer
