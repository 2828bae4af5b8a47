#include "base/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/utf8.h"

namespace transformer {

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  Json whole() {
    if (replace_invalid_utf8(text_) != text_) fail("UTF-8");
    Json json = value();
    skip_blanks();
    if (position_ != text_.size()) fail("nothing more");
    return json;
  }

 private:
  static constexpr int kDeepest = 100;

  Json value() {
    if (++depth_ > kDeepest) fail("fewer levels of nesting");
    skip_blanks();
    Json json;
    if (next() == '{') {
      json.value_ = object();
    } else if (next() == '[') {
      json.value_ = array();
    } else if (next() == '"') {
      json.value_ = string();
    } else if (take_word("true")) {
      json.value_ = true;
    } else if (take_word("false")) {
      json.value_ = false;
    } else if (!take_word("null")) {
      json.value_ = number();
    }
    --depth_;
    return json;
  }

  Json::Object object() {
    Json::Object members;
    expect('{');
    if (take('}')) return members;
    do {
      skip_blanks();
      std::string key = string();
      expect(':');
      members.emplace_back(std::move(key), value());
    } while (take(','));
    expect('}');
    check_unique(members);
    return members;
  }

  void check_unique(const Json::Object& members) const {
    std::set<std::string_view> keys;
    for (const auto& member : members) {
      if (!keys.insert(member.first).second) fail("each key once, not '" + member.first + "' again");
    }
  }

  Json::Array array() {
    Json::Array items;
    expect('[');
    if (take(']')) return items;
    do items.push_back(value());
    while (take(','));
    expect(']');
    return items;
  }

  std::string string() {
    std::string text;
    if (next() != '"') fail("a string");
    for (++position_; next() != '"'; ++position_) {
      if (position_ == text_.size() || static_cast<unsigned char>(next()) < 0x20) fail("the string's end");
      if (next() == '\\') {
        ++position_;
        append_escaped(text);
      } else {
        text += next();
      }
    }
    ++position_;
    return text;
  }

  /// Stands on what follows a backslash, and stops on its last byte.
  void append_escaped(std::string& text) {
    static constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    if (const size_t letter = kLetters.find(next()); next() != '\0' && letter != std::string_view::npos) {
      text += kMeanings[letter];
      return;
    }
    if (next() != 'u') fail("an escape");
    uint32_t code = four_digits();
    if (code >= 0xD800 && code < 0xDC00) {  // half of a pair
      if (text_.substr(position_ + 1, 2) != "\\u") fail("the pair's second half");
      position_ += 2;
      const uint32_t low = four_digits();
      if (!is_second_half(low)) fail("the pair's second half");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (is_second_half(code)) fail("the pair's first half");
    text += encode_utf8(std::u32string(1, code));
  }

  static bool is_second_half(uint32_t code) { return code >= 0xDC00 && code < 0xE000; }

  /// Stands on the 'u' of an escape, and stops on its last digit.
  uint32_t four_digits() {
    uint32_t code = 0;
    const std::string_view digits = text_.substr(position_ + 1, 4);
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (failure != std::errc() || end != digits.data() + 4) fail("four hexadecimal digits");
    position_ += 4;
    return code;
  }

  double number() {
    const size_t start = position_;
    if (next() == '-') ++position_;
    if (next() == '0') {
      ++position_;
    } else {
      digits();
    }
    if (next() == '.') {
      ++position_;
      digits();
    }
    if (next() == 'e' || next() == 'E') {
      ++position_;
      if (next() == '+' || next() == '-') ++position_;
      digits();
    }
    const double value = std::strtod(std::string(text_.substr(start, position_ - start)).c_str(), nullptr);
    if (!std::isfinite(value)) fail("a smaller number");
    return value;
  }

  void digits() {
    if (!is_digit(next())) fail("a value");
    while (is_digit(next())) ++position_;
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  char next() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  bool take_word(std::string_view word) {
    if (text_.substr(position_, word.size()) != word) return false;
    position_ += word.size();
    return true;
  }
  bool take(char c) {
    skip_blanks();
    if (next() != c) return false;
    ++position_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string{'\'', c, '\''});
  }
  void skip_blanks() { position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size()); }
  [[noreturn]] void fail(const std::string& expected) const {
    throw Error("not JSON: expected ", expected, " at byte ", position_);
  }

  std::string_view text_;
  size_t position_ = 0;
  int depth_ = 0;
};

namespace {

template <class T, class Variant>
const T& held(const Variant& value, const char* expected) {
  if (const T* found = std::get_if<T>(&value)) return *found;
  throw Error("expected ", expected);
}

}  // namespace

Json Json::parse(std::string_view text) { return JsonReader(text).whole(); }

double Json::number() const { return held<double>(value_, "a number"); }

int64_t Json::integer() const {
  static constexpr double kLargest = 9007199254740992.0;  // beyond 2^53 a double skips some
  const double value = number();
  if (value != std::floor(value) || std::abs(value) > kLargest) throw Error("expected a whole number, got ", value);
  return static_cast<int64_t>(value);
}

const std::string& Json::string() const { return held<std::string>(value_, "a string"); }
const Json::Array& Json::array() const { return held<Array>(value_, "an array"); }
const Json::Object& Json::object() const { return held<Object>(value_, "an object"); }

const Json* Json::find(std::string_view key) const {
  for (const auto& [name, value] : object()) {
    if (name == key) return &value;
  }
  return nullptr;
}

const Json& Json::at(std::string_view key) const {
  if (const Json* value = find(key)) return *value;
  throw Error("expected the key '", key, "'");
}

std::string json_string(std::string_view text) {
  std::ostringstream out;
  out << '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out << "\\\"";
        break;
      case '\\':
        out << "\\\\";
        break;
      case '\n':
        out << "\\n";
        break;
      case '\r':
        out << "\\r";
        break;
      case '\t':
        out << "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out << "\\u" << std::hex << std::setw(4) << std::setfill('0') << static_cast<int>(c) << std::dec;
        } else {
          out << c;
        }
    }
  }
  out << '"';
  return out.str();
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  std::ostringstream out;
  out << std::setprecision(17) << value;
  const std::string exact = out.str();
  // The shortest form that reads back as the same number.
  for (int digits = 6; digits < 17; ++digits) {
    std::ostringstream shorter;
    shorter << std::setprecision(digits) << value;
    if (std::strtod(shorter.str().c_str(), nullptr) == value) return shorter.str();
  }
  return exact;
}

}  // namespace transformer
