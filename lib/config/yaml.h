#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/fields.h"

namespace transformer {

/// A value somebody wrote, and where: "configs/tiny.yaml:7" or "--set model.N=2".
struct Setting {
  Value value;
  std::string location;
};

/// By dotted name: "training.seed".
using Settings = std::map<std::string, Setting>;

/// The settings of a YAML file, on top of those of the file that its `extends:` names (relative to the file).
/// Throws UsageError with file and line for what is not YAML, a key given twice, or a circle of `extends`.
Settings read_yaml_file(const std::string& path);

/// As read_yaml_file for a text without `extends`; `name` stands for the file in messages.
Settings read_yaml_text(const std::string& text, const std::string& name);

/// "model.d_model=256", as --set gives it. Throws UsageError.
void apply_override(const std::string& assignment, Settings& settings);

/// The fields as YAML, nested by the dots of their names.
std::string write_yaml(const std::vector<Field>& fields);

}  // namespace transformer
