#include "base/json.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <set>
#include <vector>

#include "base/error.h"

namespace transformer {
namespace {

/// Called for each part of a text that is being parsed. Reports a key that an object has twice, where the library would
/// keep one of the two values, and values that are nested so deeply that copying or writing them, which the library
/// does recursively, would overflow the stack.
class StructureCheck {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& value) {
    static constexpr int kMaxDepth = 100;
    if (depth > kMaxDepth) throw Error("not JSON that can be read: more than {} levels of nesting", kMaxDepth);
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key && !keys_.back().insert(value.get<std::string>()).second) {
      throw Error("not JSON: the key {} occurs twice in an object", json_text(value));
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> keys_;  // of each object around the current position
};

/// The part of the library's message that tells what is wrong, without its tag, its position and a copy of the text.
std::string reason_of(const Json::exception& failure) {
  std::string message = failure.what();
  for (const char* before : {"] ", " - "}) {
    if (const size_t end = message.find(before); end != std::string::npos) message.erase(0, end + std::strlen(before));
  }
  return message.substr(0, message.find("; last read"));
}

[[noreturn]] void throw_unexpected(const char* expected, const Json& value) {
  static constexpr size_t kMaxShown = 40;
  const std::string text = json_text(value);
  throw Error("expected {}, got {}", expected, text.size() > kMaxShown ? value.type_name() : text);
}

}  // namespace

Json parse_json(std::string_view text) {
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    throw Error("not JSON: a NUL at byte {}", nul + 1);  // the library would take it for the end
  }
  try {
    StructureCheck check;
    return Json::parse(text, std::ref(check));
  } catch (const Json::parse_error& failure) {
    throw Error("not JSON: {} at byte {}", reason_of(failure), failure.byte);
  } catch (const Json::out_of_range& failure) {
    throw Error("not JSON: {}", reason_of(failure));
  }
}

std::string json_text(const Json& value, int indent) {
  return value.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

double number_of(const Json& value) {
  if (!value.is_number()) throw_unexpected("a number", value);
  return value.get<double>();
}

int64_t integer_of(const Json& value) {
  static constexpr double kMax = 9007199254740992.0;  // 2^53, up to which a double holds every whole number
  const double number = number_of(value);
  if (number != std::floor(number) || std::abs(number) > kMax) throw_unexpected("a whole number", value);
  return static_cast<int64_t>(number);
}

const std::string& string_of(const Json& value) {
  if (!value.is_string()) throw_unexpected("a string", value);
  return value.get_ref<const std::string&>();
}

const Json::array_t& array_of(const Json& value) {
  if (!value.is_array()) throw_unexpected("an array", value);
  return value.get_ref<const Json::array_t&>();
}

const Json::object_t& object_of(const Json& value) {
  if (!value.is_object()) throw_unexpected("an object", value);
  return value.get_ref<const Json::object_t&>();
}

const Json& member_of(const Json& object, const std::string& key) {
  const auto member = object_of(object).find(key);
  if (member == object_of(object).end()) throw Error("expected the key '{}'", key);
  return member->second;
}

}  // namespace transformer
