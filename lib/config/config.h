#pragma once

#include <string>
#include <vector>

#include "data/data_config.h"
#include "decoding/decoding_config.h"
#include "model/model_config.h"
#include "training/training_config.h"

namespace transformer {

struct Config {
  ModelConfig model;
  DataConfig data;
  TrainingConfig training;
  DecodingConfig decoding;
};

/// Every key with its value in `config`, section by section. The fields refer to `config`.
std::vector<Field> config_fields(Config& config);

/// The only way in: default < file < file's `extends`-ing child < overrides ("section.key=value"). Throws UsageError
/// with file and line for an unknown key (and the nearest known one), a wrong type, an impossible value.
Config load_config(const std::string& path, const std::vector<std::string>& overrides);

/// The resolved config of a checkpoint, as `dump_config` wrote it; `name` is the file in messages.
Config parse_config(const std::string& text, const std::string& name);

/// Every key and its value, as YAML that load_config reads back to the same Config.
std::string dump_config(const Config& config);

/// "model.N: 6 there, 4 here" for each key whose values differ, in the order of the fields; `ignored` names keys
/// that may differ.
std::vector<std::string> config_differences(const Config& there, const Config& here,
                                            const std::vector<std::string>& ignored);

}  // namespace transformer
