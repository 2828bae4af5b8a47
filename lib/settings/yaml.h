#pragma once

#include <map>
#include <string>
#include <vector>

#include "settings/schema.h"
#include "settings/settings.h"

namespace transformer {

/// Reads the settings of a YAML text. The schema says which sections may be lists or have values themselves; other keys
/// than its own are read as well. `name` is the file in error messages, and `source` is Location::source. Text that is
/// not YAML and a key that is given twice are faults.
Settings read_yaml(const std::string& text, const std::string& name, const Schema& schema, size_t source = 0);

/// Reads a value: "6", "[0.5, 2]". Throws Error if the text is not YAML or more than the value, or if the value is a
/// section or a list of other than plain values.
Value read_yaml_value(const std::string& text);

/// The values as YAML, with a section for each part of their keys' dotted names. The value of a key that is in
/// `comments` has that comment behind it.
std::string write_yaml(const std::vector<KeyValue>& values, const std::map<std::string, std::string>& comments);

}  // namespace transformer
