#pragma once

#include <string>
#include <vector>

#include "config/fields.h"

namespace transformer {

/// What a user can know about a key without reading the documentation.
struct KeyDescription {
  std::string name;       // "model.N"
  std::string type;       // "whole number", "sinusoidal or learned"
  bool is_text = false;   // whether its values are texts, names included
  bool nullable = false;  // whether null is a value
  std::string range;      // "at least 1"; may be empty
  Value default_value;
  std::string meaning;  // the help text

  /// "whole number, at least 1, or null".
  std::string accepted() const;
};

/// All keys, section by section.
std::vector<KeyDescription> describe_keys();

}  // namespace transformer
