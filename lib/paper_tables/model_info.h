#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/config.h"
#include "paper_tables/paper_tables.h"
#include "text/source_and_target.h"
#include "training/memory_estimate.h"

namespace transformer {

/// The architecture of a model and what it costs to train it.
struct ModelInfo {
  static constexpr int64_t kProgramBytes = 200'000'000;  // memory of this program and LibTorch without a model

  std::string name;  // the file
  Config config;
  VocabularySizes vocabularies = 0;
  int64_t parameters = 0;
  std::optional<Table3Row> paper;       // the row of Table 3 that the config file belongs to
  double training_flops_per_token = 0;  // for one target token and its share of the source
  double training_flops = 0;            // for all steps
  MemoryEstimate memory{};
  int64_t device_tokens = 0;  // the micro-batch for which the memory is shown

  int64_t training_bytes() const;  // saturated
};

/// Throws UsageError if the config is wrong, and Error if a file with a vocabulary that it names is damaged.
ModelInfo info_of_config(const ConfigSource& source);
/// Throws Error if the model file is missing or damaged.
ModelInfo info_of_model(const std::string& path);

/// A few lines for people.
std::string format_text(const ModelInfo& info);
/// A JSON object.
std::string format_json(const ModelInfo& info);

}  // namespace transformer
