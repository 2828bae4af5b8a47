#include "config/yaml.h"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>

#include "base/read_file.h"

namespace transformer {
namespace {

constexpr const char* kExtends = "extends";

std::string location(const std::string& name, const YAML::Mark& mark) {
  return fmt::format("{}:{}", name, mark.line + 1);
}

Value to_value(const YAML::Node& node, const std::string& where) {
  if (node.IsNull()) return {};
  if (node.IsScalar()) return Value::scalar(node.Scalar());
  if (node.IsMap()) throw UsageError("{}: expected a value, got a section", where);
  Value list{Value::Kind::list, {}};
  for (const auto& item : node) {
    if (!item.IsScalar()) throw UsageError("{}: a list may contain plain values only", where);
    list.items.push_back(item.Scalar());
  }
  return list;
}

/// Collects the values of a document by their dotted names.
class Flattener {
 public:
  Flattener(const std::string& text, const std::string& name)
      : name_(name), bytes_left_(kMinBytes + kMaxExpansion * text.size()) {}

  /// Adds all values below `node`, which is in `depth` sections.
  void add(const YAML::Node& node, const std::string& prefix, int depth) {
    for (const auto& entry : node) {
      const std::string key = prefix + entry.first.Scalar();
      const std::string where = location(name_, entry.first.Mark());
      count(key, where);
      if (entry.second.IsNull() && prefix.empty()) continue;  // an empty section
      if (entry.second.IsMap()) {
        if (depth == kMaxDepth) {
          throw UsageError("{}: more than {} sections within each other; does an alias refer to itself?", where,
                           kMaxDepth);
        }
        add(entry.second, key + ".", depth + 1);
      } else {
        add_value(entry.second, key, where);
      }
    }
  }

  Settings settings;

 private:
  /// Sections within sections; the program's own configs have two.
  static constexpr int kMaxDepth = 8;
  /// How much longer than the document keys and values may be. They repeat the names of sections, and what aliases
  /// refer to: a few lines of aliases of aliases could fill the memory.
  static constexpr size_t kMinBytes = 10000, kMaxExpansion = 4;

  void add_value(const YAML::Node& node, const std::string& key, const std::string& where) {
    count(node.Scalar(), where);
    for (const auto& item : node) count(item.Scalar(), where);
    if (!settings.emplace(key, Setting{to_value(node, where), where}).second) {
      throw UsageError("{}: '{}' is given twice (first at {}); remove one of them", where, shown_value(key),
                       settings.at(key).location);
    }
  }

  void count(const std::string& text, const std::string& where) {
    const size_t bytes = text.size() + 1;
    if (bytes > bytes_left_) throw UsageError("{}: aliases make the file too large; write the values out", where);
    bytes_left_ -= bytes;
  }

  const std::string& name_;
  size_t bytes_left_;
};

Settings flatten_document(const std::string& text, const std::string& name) {
  try {
    const YAML::Node document = YAML::Load(text);
    if (!document.IsMap() && !document.IsNull()) {
      throw UsageError("{}:1: expected sections like 'model:' with keys below them", name);
    }
    Flattener flattener(text, name);
    flattener.add(document, "", 0);
    return std::move(flattener.settings);
  } catch (const YAML::Exception& failure) {
    throw UsageError("{}: not valid YAML: {}", location(name, failure.mark), failure.msg);
  }
}

Settings read_with_bases(const std::string& path, std::vector<std::string> readers) {
  const std::string identity = std::filesystem::weakly_canonical(path).string();
  if (std::find(readers.begin(), readers.end(), identity) != readers.end()) {
    throw UsageError("{}: 'extends' leads back to this file; remove one 'extends' of the cycle", path);
  }
  readers.push_back(identity);
  Settings own = flatten_document(read_file(path), path);
  const auto extends = own.find(kExtends);
  if (extends == own.end()) return own;
  if (extends->second.value.kind != Value::Kind::scalar) {
    throw UsageError("{}: 'extends' expects the name of one file", extends->second.location);
  }
  const auto base = std::filesystem::path(path).parent_path() / extends->second.value.items[0];
  if (!std::filesystem::exists(base)) {
    throw UsageError("{}: 'extends' names {}, which does not exist; the path is relative to this file",
                     extends->second.location, base.lexically_normal().string());
  }
  own.erase(extends);
  own.merge(read_with_bases(base.lexically_normal().string(), readers));  // the settings of `own` take precedence
  return own;
}

void emit(YAML::Emitter& out, const Value& value) {
  switch (value.kind) {
    case Value::Kind::null:
      out << YAML::Null;
      break;
    case Value::Kind::scalar:
      out << value.items[0];
      break;
    case Value::Kind::list:
      out << YAML::Flow << value.items;
      break;
  }
}

}  // namespace

Settings read_yaml_file(const std::string& path) { return read_with_bases(path, {}); }

Settings read_yaml_text(const std::string& text, const std::string& name) { return flatten_document(text, name); }

void apply_override(const std::string& assignment, Settings& settings) {
  const size_t equals = assignment.find('=');
  const std::string where = "--set " + shown_value(assignment);
  if (equals == std::string::npos || equals == 0) {
    throw UsageError("{}: expected section.key=value, for example --set training.seed=2", where);
  }
  try {
    const YAML::Node node = YAML::Load(assignment.substr(equals + 1));
    settings[assignment.substr(0, equals)] = {to_value(node, where), where};
  } catch (const YAML::Exception& failure) {
    throw UsageError("{}: the value is not valid YAML: {}", where, failure.msg);
  }
}

std::string write_yaml(const std::vector<Field>& fields) {
  const auto sections_of = [](const std::string& name) {
    std::vector<std::string> parts;
    std::istringstream text(name);
    for (std::string part; std::getline(text, part, '.');) parts.push_back(part);
    parts.pop_back();  // the key itself
    return parts;
  };
  YAML::Emitter out;
  out << YAML::BeginMap;
  std::vector<std::string> open;
  for (const Field& field : fields) {
    const auto sections = sections_of(field.name);
    const auto shared = static_cast<size_t>(
        std::mismatch(open.begin(), open.end(), sections.begin(), sections.end()).first - open.begin());
    for (; open.size() > shared; open.pop_back()) out << YAML::EndMap;
    for (; open.size() < sections.size(); open.push_back(sections[open.size()])) {
      out << YAML::Key << sections[open.size()] << YAML::Value << YAML::BeginMap;
    }
    out << YAML::Key << field.name.substr(field.name.rfind('.') + 1) << YAML::Value;
    emit(out, field.get());
  }
  for (; !open.empty(); open.pop_back()) out << YAML::EndMap;
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace transformer
