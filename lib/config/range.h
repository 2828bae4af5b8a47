#pragma once

#include <limits>
#include <string>

#include "config/fields.h"

namespace transformer {

/// The numbers that a key accepts.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool includes_least = true, includes_most = true;

  bool contains(double number) const;
  /// "at least 1", "above 0", "at least 0 and below 1".
  std::string text() const;
};

/// The range of a key's number, or of each number of a list; null if all numbers of its type are accepted, or if it is
/// no number.
const Range* range_of(const std::string& key);

/// What a key accepts: "whole number, at least 1, or null".
std::string accepted_values(const Key& key);

}  // namespace transformer
