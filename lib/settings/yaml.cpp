#include "settings/yaml.h"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/words.h"

namespace transformer {
namespace {

/// Thrown where the rest of a file cannot be read; it becomes a Fault, because other faults are reported with it.
struct Unreadable {
  Location location;
  std::string message;
};

/// Why a YAML node is not a value of a config; empty if it is one.
std::string misfit(const YAML::Node& node) {
  if (node.IsMap()) return "expected a value, got a section";
  const bool is_plain =
      !node.IsSequence() || std::all_of(node.begin(), node.end(), [](const auto& item) { return item.IsScalar(); });
  return is_plain ? "" : "a list may contain plain values only";
}

bool is_list_of_sections(const YAML::Node& node) {
  return node.IsSequence() && node.size() > 0 &&
         std::all_of(node.begin(), node.end(), [](const auto& item) { return item.IsMap(); });
}

constexpr const char* kNotPlain = "!";  // the tag that yaml-cpp gives to a scalar in quotes and to a block of lines

/// Whether a scalar that begins with a quote also ends with one. yaml-cpp reports no error if the quote is never
/// closed, but takes the rest of the text as the value.
bool is_closed(const YAML::Node& scalar, const std::string& text) {
  if (!scalar.IsScalar() || scalar.Tag() != kNotPlain || scalar.Mark().is_null()) return true;
  const size_t open = text.find_first_of("\"'|>", static_cast<size_t>(scalar.Mark().pos));
  if (open == std::string::npos || text[open] == '|' || text[open] == '>') return true;
  for (size_t i = open + 1; i < text.size(); ++i) {
    if (text[open] == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == text[open]) {
      if (text[open] == '"' || i + 1 == text.size() || text[i + 1] != '\'') return true;
      ++i;  // '' within single quotes
    }
  }
  return false;
}

/// Advice to the user about the line (from 0) at which yaml-cpp found a syntax error.
std::string advice_for(const std::string& text, int line) {
  std::istringstream lines(text);
  std::string content;
  for (int i = 0; i <= line; ++i) std::getline(lines, content);
  const size_t indentation = std::min(content.find_first_not_of(" \t"), content.size());
  if (content.substr(0, indentation).find('\t') != std::string::npos) {
    return "it is indented with a tab, where YAML takes spaces only";
  }
  return "check indentation, colons and quotes here and in the line above";
}

std::string without_whitespace(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
  return text;
}

/// Whether `node` is all of `text`, from which YAML::Load has read it: it ignores a comment, and what follows a closing
/// quote or bracket.
bool is_whole(const YAML::Node& node, const std::string& text) {
  const std::string bare = without_whitespace(text);
  if (node.IsNull()) return bare.empty() || bare == "~" || bare == "null" || bare == "Null" || bare == "NULL";
  if (node.IsScalar() && node.Tag() != kNotPlain) return without_whitespace(node.Scalar()) == bare;
  try {
    YAML::Load("value: " + text);
    return true;
  } catch (const YAML::Exception&) {
    return false;
  }
}

/// The value of a node that has no misfit.
Value to_value(const YAML::Node& node) {
  if (node.IsScalar()) return Value::scalar(node.Scalar());
  if (!node.IsSequence()) return {};
  Value list{Value::Kind::list, {}};
  for (const auto& item : node) list.items.push_back(item.Scalar());
  return list;
}

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

/// Whether the node is text such as "N:2", which was meant as a key and its value.
bool lacks_space_after_colon(const YAML::Node& node) {
  if (!node.IsScalar() || node.Tag() == kNotPlain) return false;
  const std::string word = first_word(node.Scalar());
  const size_t colon = word.find(':');
  return colon != std::string::npos && colon > 0 && colon + 1 < word.size();
}

/// Collects the values of a document by their dotted names.
class Flattener {
 public:
  /// `source` is the number of the file among those that are read.
  Flattener(const std::string& text, const std::string& name, const Schema& schema, size_t source, Settings& settings)
      : text_(text),
        name_(name),
        schema_(schema),
        source_(source),
        bytes_left_(kMinBytes + kMaxExpansion * text.size()),
        settings_(settings) {}

  Location location(const YAML::Mark& mark) const {
    return {fmt::format("{}:{}", name_, mark.line + 1), source_, static_cast<size_t>(std::max(mark.pos, 0))};
  }

  /// Adds all values below `node`, which is in `depth` sections.
  void add(const YAML::Node& node, const std::string& prefix, int depth) {
    for (const auto& entry : node) {
      const std::string key = prefix + entry.first.Scalar();
      const Location where = location(entry.first.Mark());
      spend_bytes(key, where);
      check_quote(entry.first);
      if (entry.first.Scalar() == "<<") {
        throw Unreadable{
            where,
            "the merge key '<<' is not supported; put the common keys into a file of their own and name it "
            "with 'extends'"};
      }
      if (entry.second.IsNull() && prefix.empty() && schema_.has_section(key)) continue;  // an empty one
      if (schema_.is_list(key) && is_list_of_sections(entry.second)) {
        add_transposed(entry.second, key, where);
      } else if (schema_.has_section(key) && schema_.keys_set_by(key).size() == 1 &&
                 lacks_space_after_colon(entry.second)) {
        const std::string word = first_word(entry.second.Scalar());
        throw Unreadable{location(entry.second.Mark()),
                         fmt::format("'{}' has no space after its colon; write one", shown_value(word))};
      } else if (entry.second.IsMap()) {
        if (depth == kMaxDepth) {
          throw Unreadable{
              where, fmt::format("more than {} sections within each other; does an alias refer to itself?", kMaxDepth)};
        }
        add(entry.second, key + ".", depth + 1);
      } else {
        for (const std::string& name : schema_.keys_set_by(key)) add_value(entry.second, name, where);
      }
    }
  }

 private:
  /// Sections within sections; the program's own configs have two.
  static constexpr int kMaxDepth = 8;
  /// How much longer than the document keys and values may be. They repeat the names of sections, and what aliases
  /// refer to: a few lines of aliases of aliases could fill the memory.
  static constexpr size_t kMinBytes = 10000, kMaxExpansion = 4;

  /// Adds [{source: a, target: b}, {source: c, target: d}] as the lists source: [a, c] and target: [b, d]. A key that
  /// no item has becomes an empty list, so that the values of an extended file do not apply to these items.
  void add_transposed(const YAML::Node& items, const std::string& section, const Location& where) {
    const auto optional = schema_.optional_keys_of_items(section);
    std::map<std::string, YAML::Node> lists;
    for (const auto& item : items) {
      std::set<std::string> names;
      for (const auto& entry : item) {
        const std::string name = entry.first.Scalar();
        lists.emplace(name, YAML::Node(YAML::NodeType::Sequence));
        if (names.insert(name).second) continue;
        settings_.faults.push_back(
            {location(entry.first.Mark()),
             fmt::format("'{}' is given twice in this item of '{}'; remove one of them", shown_value(name), section),
             {fmt::format("{}.{}", section, name)}});
      }
    }
    for (auto& [name, list] : lists) {
      const std::string key = fmt::format("{}.{}", section, name);
      const auto found = optional.find(name);
      const auto omitted = found == optional.end() ? std::nullopt : found->second.omitted;
      for (const auto& item : items) {
        spend_bytes(name, where);
        if (const auto given = item[name]; given || omitted) {
          list.push_back(given ? given : YAML::Node(*omitted));
          continue;
        }
        settings_.faults.push_back(
            {location(item.Mark()), fmt::format("this item of '{}' has no '{}'", section, shown_value(name)), {key}});
        break;
      }
      add_value(list, key, where);
    }
    for (const auto& [name, key] : optional) {
      if (lists.contains(name)) continue;
      add_value(YAML::Node(YAML::NodeType::Sequence), fmt::format("{}.{}", section, name), where);
    }
  }

  void add_value(const YAML::Node& node, const std::string& key, const Location& where) {
    spend_bytes(node.Scalar(), where);
    check_quote(node);
    for (const auto& item : node) {
      spend_bytes(item.Scalar(), where);
      check_quote(item);
    }
    if (const std::string reason = misfit(node); !reason.empty()) {
      settings_.faults.push_back({where, fmt::format("{}: {}", shown_value(key), reason), {key}});
      return;
    }
    const auto [earlier, is_first] = settings_.values.emplace(key, Setting{to_value(node), where});
    if (is_first) return;
    settings_.faults.push_back({where,
                                fmt::format("'{}' is given twice (first at {}); remove one of them", shown_value(key),
                                            earlier->second.location.text),
                                {key}});
  }

  void check_quote(const YAML::Node& node) const {
    if (!is_closed(node, text_)) throw Unreadable{location(node.Mark()), "this quote is not closed; close it"};
  }

  /// Throws Unreadable if keys and values together are longer than the document allows.
  void spend_bytes(const std::string& text, const Location& where) {
    const size_t bytes = text.size() + 1;
    if (bytes > bytes_left_) throw Unreadable{where, "aliases make the file too large; write the values out"};
    bytes_left_ -= bytes;
  }

  const std::string& text_;
  const std::string& name_;
  const Schema& schema_;
  const size_t source_;
  size_t bytes_left_;
  Settings& settings_;
};

/// Whether the line is "---", which begins a document, or "...", which ends one.
bool is_marker(const std::string& line, std::string_view marker) {
  return line.starts_with(marker) && (line.size() == marker.size() || line[3] == ' ' || line[3] == '\r');
}

/// The number of the line that ends the first document, if another one follows. YAML::Load ignores the other documents,
/// and YAML::LoadAll never returns for some texts.
std::optional<int> line_of_second_document(const std::string& text) {
  std::istringstream lines(text);
  bool has_content = false;
  int number = 0, end = 0;  // of the first document
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (is_marker(line, "---") && has_content) return end > 0 ? end : number;
    if (is_marker(line, "...")) {
      if (end == 0) end = number;
      continue;
    }
    const size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#' || line[first] == '%') continue;
    if (end > 0) return end;
    has_content = true;
  }
  return std::nullopt;
}

/// Replaces the settings of a file that cannot be read as a whole by this fault.
void give_up(const Location& where, const std::string& message, Settings& settings) {
  settings.values.clear();
  settings.faults.clear();
  settings.faults.push_back(Fault{where, message, /*doubtful_keys=*/{}});
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

Settings read_yaml(const std::string& text, const std::string& name, const Schema& schema, size_t source) {
  Settings settings;
  settings.files = {name};
  Flattener flattener(text, name, schema, source, settings);
  if (const size_t nul = text.find('\0'); nul != std::string::npos) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n');
    give_up(Location{fmt::format("{}:{}", name, line), source},
            "has a NUL byte, so it is no config; name a YAML file in UTF-8 (a model is given with --model, or with "
            "--set training.init_from=MODEL)",
            settings);
    return settings;
  }
  try {
    const YAML::Node document = YAML::Load(text);
    if (const auto line = line_of_second_document(text)) {
      throw Unreadable{Location{fmt::format("{}:{}", name, *line), source},
                       "a config is one YAML document; remove this line"};
    }
    if (document.IsMap() || document.IsNull()) {
      flattener.add(document, "", 0);
    } else {
      give_up(Location{name + ":1", source}, "expected sections like 'model:' with keys below them", settings);
    }
  } catch (const Unreadable& end) {
    give_up(end.location, end.message, settings);
  } catch (const YAML::Exception& failure) {
    give_up(flattener.location(failure.mark),
            fmt::format("not valid YAML ({}); {}", shown_value(failure.msg), advice_for(text, failure.mark.line)),
            settings);
  }
  return settings;
}

Value read_yaml_value(const std::string& text) {
  try {
    const YAML::Node node = YAML::Load(text);
    if (const std::string reason = misfit(node); !reason.empty()) throw Error("{}", reason);
    const Value value = to_value(node);
    if (!is_whole(node, text)) {
      throw Error(
          "only a part of the value would be used, '{}'; remove the rest, or write quotes inside the argument, as in "
          "--set 'data.prepared=\"a # b\"'",
          shown_value(value_text(value)));
    }
    return value;
  } catch (const YAML::Exception& failure) {
    throw Error("the value is not valid YAML: {}", failure.msg);
  }
}

std::string write_yaml(const std::vector<KeyValue>& values, const std::map<std::string, std::string>& comments) {
  const auto sections_of = [](const std::string& name) {
    auto parts = split(name, '.');
    parts.pop_back();  // the key itself
    return parts;
  };
  YAML::Emitter out;
  out.SetNullFormat(YAML::LowerNull);
  out << YAML::BeginMap;
  std::vector<std::string> open;
  for (const KeyValue& key : values) {
    const auto sections = sections_of(key.name);
    const auto shared = static_cast<size_t>(
        std::mismatch(open.begin(), open.end(), sections.begin(), sections.end()).first - open.begin());
    for (; open.size() > shared; open.pop_back()) out << YAML::EndMap;
    for (; open.size() < sections.size(); open.push_back(sections[open.size()])) {
      out << YAML::Key << sections[open.size()] << YAML::Value << YAML::BeginMap;
    }
    out << YAML::Key << last_part(key.name) << YAML::Value;
    emit(out, key.value);
    const auto comment = comments.find(key.name);
    if (comment != comments.end()) out << YAML::Comment(comment->second);
  }
  for (; !open.empty(); open.pop_back()) out << YAML::EndMap;
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace transformer
