#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/fields.h"
#include "config/faults.h"

namespace transformer {

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

/// Reads the settings of a YAML file; they override those of the file that its `extends:` names (relative to the file,
/// or as find_config finds it). Text that is not YAML, a key that is given twice, a base file that does not exist and a
/// cycle of `extends` are faults. Throws Error if a file cannot be read.
Settings read_yaml_file(const std::string& path);

/// Reads the settings of a YAML text without `extends`; `name` is the file in error messages.
Settings read_yaml_text(const std::string& text, const std::string& name);

/// Applies assignments such as "model.d_model=256", the arguments of --set, in their order.
void apply_overrides(const std::vector<std::string>& assignments, Settings& settings);

/// The fields as YAML, with a section for each part of their dotted names. A field whose name is in `comments` has that
/// comment behind its value.
std::string write_yaml(const std::vector<Field>& fields, const std::map<std::string, std::string>& comments);

}  // namespace transformer
