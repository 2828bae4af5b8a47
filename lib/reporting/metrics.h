#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transformer {

/// One line of metrics.jsonl. A training line has loss, perplexity, learning_rate,
/// target_tokens_per_second and seconds (of training so far); a validation line has valid_loss,
/// valid_perplexity and valid_bleu.
struct Metrics {
  int64_t step = 0;
  std::vector<std::pair<std::string, double>> values;  // in the order they are written

  /// The number of this name, NaN where the file has null; nothing where the line lacks it.
  std::optional<double> value(std::string_view key) const;
};

/// A run's metrics.jsonl: one JSON object a line, `{"step": 100, "loss": 5.123}`, only appended to.
/// A run that goes on calls `drop_after` before its first `write`.
class MetricsFile {
 public:
  explicit MetricsFile(std::string path);

  /// Removes the lines of later steps, which the resumed run will write again, and a last line that
  /// was torn when the run was killed. Atomic; without a file there is nothing to do.
  void drop_after(int64_t step);

  /// Appends the line; what is not finite is written as null. Keys are plain names.
  void write(const Metrics& line);

 private:
  std::string path_;
};

/// Every line of the file, in order. A last line without its newline is being written: it is left
/// out. Throws Error, with file and line, for what `MetricsFile` does not write.
std::vector<Metrics> read_metrics(const std::string& path);

}  // namespace transformer
