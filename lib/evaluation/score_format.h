#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/score.h"

namespace transformer {

/// "26.3", or "26.3 (μ = 26.2 ± 0.5)"; `width` is the number of digits after the point.
std::string format_value(const Score& score, int width);

/// What `sacrebleu --format text` prints: "BLEU|<signature> = 26.3 59.3/32.3/19.9/12.6 (BP = ...)"; several scores
/// stand with their "=" below each other.
std::string format_text(const std::vector<Score>& scores, int width);

/// What `sacrebleu --format json` prints: an object, or a list of several.
std::string format_json(const std::vector<Score>& scores, int width);

/// What is printed of several systems: a row for each, a column for each metric.
struct SystemsTable {
  std::vector<std::string> systems;
  std::vector<Comparison> comparisons;
  /// Of a paired bootstrap, where the first system is the baseline.
  std::optional<Resampling> paired;
};

/// What `sacrebleu --format text` prints of several systems: a table, what it means, the signatures.
std::string format_text(const SystemsTable& table, int width);

/// What `sacrebleu --format json` prints of several systems.
std::string format_json(const SystemsTable& table, int width);

}  // namespace transformer
