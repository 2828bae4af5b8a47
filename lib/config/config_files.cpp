#include "config/config_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/home_directory.h"
#include "base/read_file.h"
#include "base/utf8.h"
#include "config/config.h"
#include "config/find_config.h"
#include "settings/yaml.h"

namespace transformer {
namespace {

constexpr const char* kExtends = "extends";

/// The file that `extends` names in the config file `path`; empty if it does not exist.
std::string find_base(const std::string& path, const std::string& name) {
  const auto beside = std::filesystem::path(path).parent_path() / name;
  if (std::filesystem::exists(beside)) return beside.lexically_normal().string();
  return find_program_config(name);
}

/// Identifies the file: its canonical path, or `path` itself for a pipe such as /dev/fd/63, which has none.
std::string identity_of(const std::string& path) {
  std::error_code unknown;
  const auto canonical = std::filesystem::weakly_canonical(path, unknown);
  return unknown ? path : canonical.string();
}

Settings read_with_bases(const std::string& path, std::vector<std::string> readers);

/// Adds the settings of the file that the `extends` of `own` names, if there is one.
void add_base(const std::string& path, const std::vector<std::string>& readers, Settings& own) {
  const auto found = own.values.extract(kExtends);
  if (found.empty()) return;
  const Setting& extends = found.mapped();
  const auto refuse = [&](const std::string& message) {
    own.faults.push_back({extends.location, message, /*doubtful_keys=*/{}});
  };
  if (extends.value.kind != Value::Kind::scalar) return refuse("'extends' expects the name of one file");
  const std::string name = expand_home(extends.value.items[0]);
  const std::string base = find_base(path, name);
  if (base.empty()) {
    const std::string of_program = "configs/" + name;
    const std::string advice = find_program_config(of_program).empty()
                                   ? "the path is relative to this file"
                                   : fmt::format("did you mean {}, which comes with the program?", of_program);
    return refuse(fmt::format("'extends' names {}, which does not exist; {}",
                              (std::filesystem::path(path).parent_path() / name).lexically_normal().string(), advice));
  }
  if (std::find(readers.begin(), readers.end(), identity_of(base)) != readers.end()) {
    return refuse(fmt::format("'extends' leads back to {}; remove one 'extends' of the cycle", base));
  }
  Settings inherited = read_with_bases(base, readers);
  own.values.merge(inherited.values);  // the settings of `own` take precedence
  own.files.insert(own.files.end(), inherited.files.begin(), inherited.files.end());
  own.faults.insert(own.faults.end(), inherited.faults.begin(), inherited.faults.end());
}

/// `readers` are the files that led to this one through their `extends`.
Settings read_with_bases(const std::string& path, std::vector<std::string> readers) {
  Settings own =
      read_yaml(std::string(without_byte_order_mark(read_file(path))), path, config_schema(), readers.size());
  readers.push_back(identity_of(path));
  add_base(path, readers, own);
  return own;
}

void apply_override(const std::string& assignment, size_t position, Settings& settings) {
  const Location where = {"--set " + shown_value(assignment), Location::kOverrides, position};
  const size_t equals = assignment.find('=');
  const std::string key = assignment.substr(0, equals);
  if (equals == std::string::npos || equals == 0) {
    settings.faults.push_back({where, "expected section.key=value, for example --set training.seed=2", {key}});
    return;
  }
  try {
    const Value value = read_yaml_value(assignment.substr(equals + 1));
    for (const std::string& name : config_schema().keys_set_by(key)) settings.values[name] = {value, where};
  } catch (const Error& misfit) {
    settings.faults.push_back({where, misfit.what(), {key}});
  }
}

}  // namespace

Settings read_settings(const std::string& path) { return read_with_bases(path, {}); }

void apply_overrides(const std::vector<std::string>& assignments, Settings& settings) {
  for (size_t i = 0; i < assignments.size(); ++i) apply_override(assignments[i], i, settings);
}

}  // namespace transformer
