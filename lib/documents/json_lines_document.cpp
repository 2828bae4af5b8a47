#include <algorithm>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/formats/segments.h"
#include "base/json.h"
#include "base/parameter_error.h"
#include "base/words.h"
#include "documents/document_lines.h"
#include "documents/formats.h"
#include "documents/segment_lines.h"

namespace transformer {
namespace {

/// A value of a record: its first byte and the one behind it.
struct Range {
  size_t begin, end;
};

size_t end_of_string(std::string_view record, size_t at) {
  for (++at; record[at] != '"'; ++at) {
    if (record[at] == '\\') ++at;
  }
  return at + 1;
}

/// The end of the value that begins here, in a record that is valid JSON.
size_t end_of_value(std::string_view record, size_t at) {
  if (record[at] == '"') return end_of_string(record, at);
  if (record[at] != '{' && record[at] != '[') return std::min(record.find_first_of(",]} \t\r\n", at), record.size());
  size_t depth = 0;
  do {
    if (record[at] == '"') {
      at = end_of_string(record, at);
      continue;
    }
    if (record[at] == '{' || record[at] == '[') ++depth;
    if (record[at] == '}' || record[at] == ']') --depth;
    ++at;
  } while (depth > 0);
  return at;
}

/// The value of this key in the object that begins at `object`.
std::optional<Range> find_key(std::string_view record, size_t object, std::string_view key) {
  size_t at = record.find_first_not_of(kBlanks, object + 1);
  while (record[at] == '"') {
    const size_t end = end_of_string(record, at);
    const std::string name = string_of(parse_json(record.substr(at, end - at)));
    const size_t value = record.find_first_not_of(kBlanks, record.find(':', end) + 1);
    const size_t end_of_member = end_of_value(record, value);
    if (name == key) return Range{value, end_of_member};
    at = record.find_first_not_of(kBlanks, end_of_member);
    if (record[at] == ',') at = record.find_first_not_of(kBlanks, at + 1);
  }
  return {};
}

/// Where the member with this name is, whose parts may be members of members.
struct Place {
  std::optional<Range> value;
  size_t object = 0;    // the innermost object on the way to it
  std::string missing;  // what of the name that object lacks
};

Place find_place(std::string_view record, size_t object, const std::string& name) {
  if (const auto whole = find_key(record, object, name)) return {whole, object, ""};
  for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    const auto outer = find_key(record, object, name.substr(0, dot));
    if (outer && record[outer->begin] == '{') return find_place(record, outer->begin, name.substr(dot + 1));
  }
  return {{}, object, name};
}

std::string escape_json(std::string_view text) {
  const std::string quoted = json_text(Json(std::string(text)));
  return quoted.substr(1, quoted.size() - 2);
}

/// Reads the record of a line.
class Record {
 public:
  Record(DocumentBuilder& builder, const DocumentLine& line, const DocumentTask& task)
      : builder_(builder),
        begin_(line.begin),
        text_(builder.bytes(line.begin, line.end)),
        line_(line.number),
        task_(task) {}

  void translate() {
    const Json value = parse();
    const size_t object = text_.find('{');
    const Place source = find_place(text_, object, task_.part);
    if (!source.value) {
      throw FormatError(line_, "has no field '{}'; name one that all records have, as in {}#text", task_.part,
                        task_.path);
    }
    const Json text = parse_json(text_.substr(source.value->begin, source.value->end - source.value->begin));
    if (!text.is_string() && !text.is_null()) {
      throw FormatError(line_, "the field '{}' is not text but {}", task_.part, text.type_name());
    }
    set(find_place(text_, object, task_.into), text.is_null() ? Contents{{"null", {}, ""}} : contents_of(text));
  }

 private:
  using Contents = std::vector<SegmentBuilder::Content>;

  /// The segments of a text, with its quotation marks.
  Contents contents_of(const Json& text) const {
    SegmentLines lines(line_, DividingBreaks::all);
    lines.add_text(string_of(text));
    Contents contents = lines.finish();
    for (SegmentBuilder::Content& content : contents) {
      content.before = escape_json(content.before);
      content.after = escape_json(content.after);
    }
    contents.front().before.insert(0, 1, '"');
    contents.back().after += '"';
    return contents;
  }

  Json parse() const {
    Json value;
    try {
      value = parse_json(text_);
    } catch (const Error& error) {
      throw FormatError(line_, "{}; write one JSON record in each line, as `jq -c` does", error.what());
    }
    if (!value.is_object()) throw FormatError(line_, "is not a JSON object; write one in each line");
    return value;
  }

  /// Replaces the member's value, or adds the member as the last one.
  void set(const Place& place, Contents contents) {
    if (place.value) {
      builder_.replace(begin_ + place.value->begin, begin_ + place.value->end, std::move(contents));
      return;
    }
    check_missing(place);
    const bool is_spaced = text_.find("\": ") != std::string_view::npos;
    std::string before, after;
    for (size_t begin = 0; begin <= place.missing.size();) {
      const size_t end = std::min(place.missing.find('.', begin), place.missing.size());
      if (begin > 0) {
        before += '{';
        after += '}';
      }
      before += json_text(Json(place.missing.substr(begin, end - begin))) + (is_spaced ? ": " : ":");
      begin = end + 1;
    }
    const size_t end = end_of_value(text_, place.object) - 1;
    const size_t last = text_.find_last_not_of(kBlanks, end - 1);
    if (text_[last] != '{') before = (is_spaced ? ", " : ",") + before;
    contents.front().before.insert(0, before);
    contents.back().after += after;
    builder_.replace(begin_ + last + 1, begin_ + last + 1, std::move(contents));
  }

  /// Throws if the object has the outermost member that is to be added, which then is no object.
  void check_missing(const Place& place) const {
    const size_t dot = place.missing.find('.');
    const auto member = find_key(text_, place.object, place.missing.substr(0, dot));
    if (!member) return;
    const Json value = parse_json(text_.substr(member->begin, member->end - member->begin));
    const std::string known = task_.into.substr(0, task_.into.size() - place.missing.size() + dot);
    throw FormatError(line_,
                      "the field '{}' is not an object but {}, so that it cannot have '{}'; name another field for the "
                      "translations, or make it an object",
                      known, value.type_name(), place.missing.substr(dot));
  }

  DocumentBuilder& builder_;
  const size_t begin_;
  const std::string_view text_;
  const int64_t line_;
  const DocumentTask& task_;
};

}  // namespace

Document read_json_lines_document(std::string bytes, const DocumentTask& task) {
  if (task.part.empty()) {
    throw ParameterError("{}: it is JSON Lines; name the field to translate, as in {}#text", task.file, task.path);
  }
  if (task.into.empty()) {
    throw ParameterError("'into': {} is JSON Lines; name the field for the translations", task.file);
  }
  DocumentBuilder builder(std::move(bytes));
  for (const DocumentLine& line : lines_of(builder.bytes())) {
    if (!is_blank(builder.bytes(line.begin, line.end))) Record(builder, line, task).translate();
  }
  return builder.finish(escape_json);
}

}  // namespace transformer
