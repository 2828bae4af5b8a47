#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "settings/fields.h"
#include "settings/rules.h"

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

/// The number of faults that are shown; more are only counted.
inline constexpr size_t kMaxShownFaults = 20;

/// Throws UsageError with the faults, if there are any, in the order of their locations, one line for each.
void throw_faults(const std::vector<Fault>& faults);
/// Throws DamagedFile with the faults, if there are any, of a config that `program`, this program or another version of
/// it, wrote; empty if it is not known.
void throw_faults_of_stored(const std::vector<Fault>& faults, const std::string& program = "");

/// A value that the user gave, and where.
struct Setting {
  Value value;
  Location location;
};

/// What config files and --set give.
struct Settings {
  std::map<std::string, Setting> values;  // by the dotted names of their keys, such as "training.seed"
  std::vector<std::string> files;         // the file, the file that it extends, and so on
  std::vector<Fault> faults;              // what is wrong with them

  /// Removes and returns the values whose keys are none of the fields', in the order in which they are given.
  std::vector<std::pair<std::string, Setting>> take_unknown(const std::vector<Field>& fields);
  /// Sets the fields to the values. Values of another type and numbers out of range become faults.
  void apply_to(const std::vector<Field>& fields);
  /// Adds a fault for each broken rule, except for rules about keys whose values are not known.
  void add_faults(const std::vector<BrokenRule>& rules);
};

}  // namespace transformer
