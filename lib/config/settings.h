#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"

namespace transformer {

/// Where a value of the config was given.
struct Location {
  std::string text;     // "configs/tiny.yaml:7" or "--set model.N=2"
  size_t source = 0;    // 0 for the config file, 1 for the file that it extends, ...; kOverrides for --set
  size_t position = 0;  // in the file or among the overrides

  static constexpr size_t kOverrides = ~size_t{0};

  friend bool operator<(const Location& one, const Location& other) {
    return std::pair(one.source, one.position) < std::pair(other.source, other.position);
  }
};

/// Something that is wrong with the config.
struct Fault {
  Location location;
  std::string message;  // without the location
  /// The keys whose values are not known because of this fault, so that no rule is applied to them. Empty: any key.
  std::vector<std::string> doubtful_keys;
};

/// A value that the user gave, and where.
struct Setting {
  Value value;
  Location location;
};

/// What config files and --set give.
struct Settings {
  std::map<std::string, Setting> values;  // by the dotted names of their keys, such as "training.seed"
  std::vector<std::string> files;         // the file, the file that it extends, and so on
  std::vector<Fault> faults;              // what could not be read
};

/// Reads the settings of a config file; they override those of the file that its `extends:` names (relative to the
/// file, or as find_config finds it). Text that is not YAML, a key that is given twice, a base file that does not exist
/// and a cycle of `extends` are faults. Throws Error if a file cannot be read.
Settings read_settings(const std::string& path);

/// Applies assignments such as "model.d_model=256", the arguments of --set, in their order.
void apply_overrides(const std::vector<std::string>& assignments, Settings& settings);

}  // namespace transformer
