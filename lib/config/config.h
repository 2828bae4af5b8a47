#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/data_config.h"
#include "decoding/decoding_config.h"
#include "evaluation/evaluation_config.h"
#include "model/model_config.h"
#include "settings/fields.h"
#include "settings/schema.h"
#include "training/training_config.h"

namespace transformer {

struct Config {
  ModelConfig model;
  DataConfig data;
  TrainingConfig training;
  DecodingConfig decoding;
  EvaluationConfig evaluation;
};

/// A config file and the settings that override single keys of it.
struct ConfigSource {
  std::string file;
  std::vector<std::string> overrides;  // "training.seed=2"

  /// Throws UsageError as load_config does.
  Config load() const;
  /// Where a key is given: "configs/tiny.yaml:7", "--set data.sampling_alpha=0.1"; the file if it is not given. Throws
  /// UsageError as load_config does.
  std::string place_of(const std::string& key) const;
};

/// All keys, section by section. The fields refer to the members of `config`, which must outlive them.
std::vector<Field> config_fields(Config& config);

/// All keys and sections.
const Schema& config_schema();

/// All keys and their values, as YAML from which load_config() makes the same Config.
std::string dump_config(const Config& config);

/// All keys with their values, in the order of the fields.
std::vector<KeyValue> config_values(const Config& config);

/// The keys for which `is_compared` is true and whose values differ, in the order of the fields.
std::vector<KeyDifference> config_differences(const Config& there, const Config& here,
                                              const std::function<bool(const std::string& key)>& is_compared);

/// For config_differences: whether a key is in this section, such as "model".
std::function<bool(const std::string& key)> in_section(const std::string& section);

}  // namespace transformer
