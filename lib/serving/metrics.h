#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace transformer {

/// What the server has done, for Prometheus. Any number of threads may use it.
class ServerMetrics {
 public:
  /// Counts an answer of this path with this HTTP status, and how long it took.
  void add_answer(const std::string& path, int status, double seconds);
  /// Counts a translated text.
  void add_text(const std::string& model, int64_t source_tokens, int64_t output_tokens);

  /// All counts in Prometheus' text format, with the number of texts that are being translated.
  std::string text(int64_t num_texts_in_progress) const;

 private:
  /// Upper ends of the histogram's buckets in seconds.
  static constexpr std::array kBuckets = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0};

  struct Tokens {
    int64_t texts = 0, source = 0, output = 0;
  };
  struct Histogram {
    std::array<int64_t, kBuckets.size()> counts = {};  // of answers that took at most so long
    int64_t count = 0;
    double seconds = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, int64_t> answers_;
  std::map<std::string, Histogram> times_;  // by path
  std::map<std::string, Tokens> tokens_;    // by model
};

}  // namespace transformer
