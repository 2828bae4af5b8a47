#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/score.h"

namespace transformer {

/// "26.3" or "26.3 (μ = 26.2 ± 0.5)"; `width` is the number of decimals.
std::string format_value(const Score& score, int width);

/// The output of `sacrebleu --format text`: "BLEU|<signature> = 26.3 59.3/32.3/19.9/12.6 (BP = ...)". Several scores
/// are aligned at their "=".
std::string format_text(const std::vector<Score>& scores, int width);

/// The output of `sacrebleu --format json`: an object, or a list for several scores.
std::string format_json(const std::vector<Score>& scores, int width);

/// The scores of several systems: a row for each system, a column for each metric.
struct SystemsTable {
  std::vector<std::string> systems;
  std::vector<Comparison> comparisons;
  /// Set for a paired bootstrap test, in which the first system is the baseline.
  std::optional<Resampling> paired;
};

/// The output of `sacrebleu --format text` for several systems: a table, an explanation of the test, the signatures.
std::string format_text(const SystemsTable& table, int width);

/// The output of `sacrebleu --format json` for several systems.
std::string format_json(const SystemsTable& table, int width);

}  // namespace transformer
