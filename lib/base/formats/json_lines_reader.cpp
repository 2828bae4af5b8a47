#include <fmt/ranges.h>

#include <vector>

#include "base/format.h"
#include "base/formats/segments.h"
#include "base/json.h"
#include "base/utf8.h"
#include "base/words.h"

namespace transformer {
namespace {

/// The names of an object's texts: "translation.de" is the member "de" of the member "translation".
void list_texts(const Json& object, const std::string& before, std::vector<std::string>& names) {
  static constexpr size_t kMaxNames = 20;
  for (const auto& [key, value] : object.items()) {
    if (names.size() == kMaxNames) return;
    if (value.is_string()) names.push_back(before + key);
    if (value.is_object()) list_texts(value, before + key + '.', names);
  }
}

/// The member with this name, whose parts may be members of members; null if there is none.
const Json* find_member(const Json& object, const std::string& name) {
  if (!object.is_object()) return nullptr;
  if (const auto whole = object.find(name); whole != object.end()) return &*whole;
  for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    const auto outer = object.find(name.substr(0, dot));
    if (outer == object.end()) continue;
    if (const Json* member = find_member(*outer, name.substr(dot + 1)); member != nullptr) return member;
  }
  return nullptr;
}

class JsonLinesReader : public SegmentReader {
 public:
  JsonLinesReader(std::string field, std::string file) : field_(std::move(field)), file_(std::move(file)) {}

  void add(std::string_view bytes) override {
    text_ += bytes;
    size_t begin = 0;
    for (size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n', begin)) {
      add_record(std::string_view(text_).substr(begin, end - begin));
      begin = end + 1;
    }
    text_.erase(0, begin);
    static constexpr size_t kMaxRecordBytes = size_t{1} << 26;
    if (text_.size() > kMaxRecordBytes) {
      throw FormatError(line_ + 1, "has a record of more than {} bytes; divide it", with_thousands(kMaxRecordBytes));
    }
  }

 private:
  void end_file() override {
    if (!text_.empty()) add_record(text_);
  }

  void add_record(std::string_view record) {
    if (++line_ == 1) record = without_byte_order_mark(record);
    if (is_blank(record)) return add_segment("");
    Json value;
    try {
      value = parse_json(record);
    } catch (const Error& error) {
      throw FormatError(line_, "{}; write one JSON record in each line, as `jq -c` does", error.what());
    }
    const Json* text = field_.empty() ? nullptr : find_member(value, field_);
    if (text == nullptr) throw_missing(value);
    if (text->is_null()) return add_segment("");
    if (!text->is_string()) throw FormatError(line_, "the field '{}' is not text but {}", field_, text->type_name());
    add_segment(text->get_ref<const std::string&>());
  }

  [[noreturn]] void throw_missing(const Json& value) const {
    std::vector<std::string> names;
    if (value.is_object()) list_texts(value, "", names);
    if (names.empty()) throw FormatError(line_, "is a JSON record without text; write one with text in each line");
    if (field_.empty()) {
      throw FormatError(line_, "it is JSON Lines with the fields {}; name the one to read, as in {}#{}",
                        fmt::join(names, ", "), file_, names.front());
    }
    throw FormatError(line_, "has no field '{}', only {}; name one that all records have, as in {}#{}", field_,
                      fmt::join(names, ", "), file_, names.front());
  }

  const std::string field_, file_;
  std::string text_;
  int64_t line_ = 0;
};

}  // namespace

std::unique_ptr<SegmentReader> make_json_lines_reader(const std::string& field, const std::string& file) {
  return std::make_unique<JsonLinesReader>(field, file);
}

}  // namespace transformer
