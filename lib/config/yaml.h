#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/fields.h"

namespace transformer {

/// A value that the user gave, and where: "configs/tiny.yaml:7" or "--set model.N=2".
struct Setting {
  Value value;
  std::string location;
};

/// Values by the dotted names of their keys, such as "training.seed".
using Settings = std::map<std::string, Setting>;

/// Reads the settings of a YAML file; they override those of the file that its `extends:` names (relative to the file).
/// Throws UsageError with file and line if a file is not YAML or has a key twice, or if `extends` forms a cycle.
Settings read_yaml_file(const std::string& path);

/// The same for a text without `extends`; `name` is the file in error messages.
Settings read_yaml_text(const std::string& text, const std::string& name);

/// Applies an assignment such as "model.d_model=256", the argument of --set. Throws UsageError.
void apply_override(const std::string& assignment, Settings& settings);

/// The fields as YAML, with a section for each part of their dotted names.
std::string write_yaml(const std::vector<Field>& fields);

}  // namespace transformer
