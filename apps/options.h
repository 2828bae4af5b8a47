#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "decoding/translator.h"
#include "ops/packed_weight.h"

namespace transformer {

/// --quiet and --verbose.
void add_log_options(CLI::App& command);

/// --config FILE and any number of --set section.key=value.
struct ConfigOptions {
  std::string file;
  std::vector<std::string> overrides;

  Config load() const { return load_config(file, overrides); }
};
CLI::Option* add_config_options(CLI::App& command, ConfigOptions& options);

/// What an option may be given for an enum with names: check and value.
template <class Enum>
CLI::CheckedTransformer one_of_names() {
  std::map<std::string, Enum> values;
  for (size_t i = 0; i < EnumNames<Enum>::names.size(); ++i) values[EnumNames<Enum>::names[i]] = static_cast<Enum>(i);
  return CLI::CheckedTransformer(values);
}

/// --device and --threads.
struct DeviceOptions {
  std::string device = "auto";
  int threads = 0;
};
void add_device_options(CLI::App& command, DeviceOptions& options);

/// --batch-size, --workers and --precision.
void add_translator_options(CLI::App& command, TranslatorOptions& options, WeightType& precision);

}  // namespace transformer
