#pragma once

#include <torch/types.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "inference/decoding_overrides.h"
#include "inference/translator_options.h"
#include "ops/packed_weight.h"

namespace transformer {

// Options that several commands have.

/// Adds --quiet and --verbose.
void add_log_options(CLI::App& command);

/// Adds --set and `--config FILE`, which the user may shorten to `FILE`; returns --config.
CLI::Option* add_config_options(CLI::App& command, ConfigSource& source);

/// Adds and returns --model for commands that take one model.
CLI::Option* add_model_option(CLI::App& command, std::string& model);

struct DeviceOptions {
  std::string device = "auto";
  int threads = 0;

  /// Sets the number of threads and returns the device. Throws UsageError if there is no such device.
  torch::Device apply() const;
  /// Sets the number of threads and returns `count` devices; see select_devices.
  std::vector<torch::Device> apply_to_several(int count) const;
};
/// Adds --device and --threads.
void add_device_options(CLI::App& command, DeviceOptions& options);

/// Adds --threads.
void add_threads_option(CLI::App& command, int& threads);

/// Throws UsageError if one of the options was given, since it has no effect `where`, such as "with --target".
void refuse_given(const std::vector<CLI::Option*>& options, const std::string& command, const std::string& where);

/// Checks that an option's number, of type T, is in the range of a config key.
template <class T>
CLI::Range in_range_of(const std::string& key) {
  const Range& range = config_schema().find(key)->traits.range.value();
  return CLI::Range(static_cast<T>(range.least), static_cast<T>(range.most));
}

/// Adds and returns --beam-size, --alpha, --length-penalty, --max-extra-tokens, --trees and --no-trees.
std::vector<CLI::Option*> add_search_options(CLI::App& command, DecodingOverrides& decoding);

/// Adds --no-repeat-ngram, --repetition-penalty, --min-length, --max-length, --coverage-penalty and --diversity.
void add_control_options(CLI::App& command, OutputControl& control);

/// Adds --tag.
void add_tag_option(CLI::App& command, std::optional<std::string>& tag);

/// Adds --batch-size, --workers and --precision.
void add_translator_options(CLI::App& command, TranslatorOptions& options, WeightType& precision);

/// Adds --json for commands that print JSON instead of text.
CLI::Option* add_json_flag(CLI::App& command, bool& json);

/// Writes the result to stdout in the chosen format.
template <class Result>
void print(const Result& result, bool json) {
  std::cout << (json ? format_json(result) : format_text(result)) << "\n";
}

/// Writes the text to a file, which appears only when it is complete, and logs its name, or to stdout if `path` is "-".
void write_output(const std::string& path, const std::string& text);

/// Makes the options of all commands below `app` refuse what CLI11 accepts: an empty path, a path that is the name of
/// one of the command's options, NaN and infinity, and a negative number where an unsigned one is expected.
void refuse_meaningless_values(CLI::App& app);

/// Makes the option accept exactly the names of an enumeration's values, but not that of `except`, and shows them in
/// the help text.
template <class Enum>
CLI::Option* accept_names(CLI::Option* option, std::optional<Enum> except = {}) {
  std::vector<std::pair<std::string, int>> values;
  std::string names;
  int number = 0;
  for (const char* name : EnumNames<Enum>::names) {
    const int value = number++;
    if (except == static_cast<Enum>(value)) continue;
    values.emplace_back(name, value);
    names += (names.empty() ? "" : "|") + values.back().first;
  }
  const auto to_number = [values, names](std::string& input) -> std::string {
    for (const auto& [name, value] : values) {
      if (name != input) continue;
      input = std::to_string(value);
      return "";
    }
    return "expected " + names + ", got '" + input + "'";
  };
  return option->transform(CLI::Validator(to_number, ""))->option_text(names);
}

}  // namespace transformer
