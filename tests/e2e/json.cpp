#include "json.h"

#include <regex>
#include <stdexcept>
#include <string_view>

namespace transformer {
namespace {

class JsonReader {
 public:
  explicit JsonReader(const std::string& text) : text_(text) {}

  std::map<std::string, std::string> object() {
    std::map<std::string, std::string> values;
    expect('{');
    if (!take('}')) {
      do {
        const std::string key = string();
        expect(':');
        if (!values.emplace(key, value()).second) fail("key '" + key + "' is there twice");
      } while (take(','));
      expect('}');
    }
    return values;
  }

  void end() {
    skip_blanks();
    if (position_ != text_.size()) fail("more text after the value");
  }

 private:
  std::string value() {
    skip_blanks();
    const size_t start = position_;
    if (next() == '"') return string();
    if (next() == '{') {
      object();
    } else if (take('[')) {
      if (!take(']')) {
        do value();
        while (take(','));
        expect(']');
      }
    } else {
      match(R"(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?)", "a value");
    }
    return text_.substr(start, position_ - start);
  }

  std::string string() {
    skip_blanks();
    const size_t start = position_;
    match(R"("([^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*")", "a string");
    return text_.substr(start + 1, position_ - start - 2);
  }

  void match(const char* pattern, const char* what) {
    std::smatch found;
    if (!std::regex_search(text_.cbegin() + static_cast<std::ptrdiff_t>(position_), text_.cend(), found,
                           std::regex(pattern), std::regex_constants::match_continuous)) {
      fail(std::string("expected ") + what);
    }
    position_ += static_cast<size_t>(found.length());
  }

  char next() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  bool take(char c) {
    skip_blanks();
    if (next() != c) return false;
    ++position_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string("expected '") + c + "'");
  }
  void skip_blanks() { position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size()); }
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("not JSON at byte " + std::to_string(position_) + ": " + what + ": " + text_);
  }

  const std::string& text_;
  size_t position_ = 0;
};

}  // namespace

std::map<std::string, std::string> parse_json_object(const std::string& text) {
  JsonReader reader(text);
  auto values = reader.object();
  reader.end();
  return values;
}

}  // namespace transformer
