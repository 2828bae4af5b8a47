#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reporting/metrics.h"
#include "reporting/run_facts.h"
#include "reporting/sample_translations.h"

namespace transformer {

/// What the report tells of a training run.
struct RunRecord {
  std::string name;         // its directory
  std::string config_text;  // the resolved config, as YAML
  std::vector<std::pair<std::string, std::string>>
      config_values{};              // each key with its value, the same keys in every run
  int64_t train_steps = 0;          // of the config
  std::string best_by = "loss";     // training.best_by: loss, bleu, chrf or ter
  bool lower_is_better = true;      // whether a lower value of best_by is better
  std::optional<RunFacts> facts{};  // if there is a run.json
  std::vector<MetricsLine> metrics{};
  std::vector<ValidationSamples> samples{};
};

}  // namespace transformer
