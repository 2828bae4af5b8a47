#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "data/data_config.h"

namespace transformer {

/// Decides which pairs training uses, and records why it does not use the others (Deviation D15).
class PairFilter {
 public:
  explicit PairFilter(const DataConfig& config);

  /// Whether training uses a pair with so many pieces. If not, records it; `file` and `line` say where the pair is.
  bool keep(size_t source_pieces, size_t target_pieces, const std::string& file, int64_t line);

  int64_t num_dropped() const;
  /// "dropped 3 (1 empty, 1 longer than 256, 1 by ratio)".
  std::string summary() const;
  /// Throws Error if more than data.max_dropped of so many pairs were dropped, or all; the message names examples.
  void check(const std::string& corpus, int64_t num_pairs) const;
  /// {"empty": 1, "too_long": 1, "length_ratio": 1}
  Json counts() const;
  /// {"empty": ["train.en:17"], ...}: some of the places for each reason.
  Json examples() const;

 private:
  struct Reason {
    const char* name;         // "too_long"
    std::string description;  // "longer than 256"
    int64_t count = 0;
    std::vector<std::string> examples = {};
  };

  enum : size_t { kEmpty, kTooLong, kRatio, kNumReasons };

  /// The index of the reason.
  std::optional<size_t> reason_to_drop(size_t source_pieces, size_t target_pieces) const;

  int64_t max_length_;
  std::optional<double> max_length_ratio_;
  double max_dropped_;
  std::array<Reason, kNumReasons> reasons_;
};

}  // namespace transformer
