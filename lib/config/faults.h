#pragma once

#include <string>
#include <utility>
#include <vector>

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

/// Throws UsageError with the faults in the order of their locations, one line for each.
[[noreturn]] void throw_faults(const std::vector<Fault>& faults);

}  // namespace transformer
