#include "base/json.h"

#include <cmath>
#include <cstring>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"

namespace transformer {
namespace {

/// The part of the library's message that tells what is wrong, without its tag, its position and a copy of the text.
std::string reason_of(const Json::exception& failure) {
  std::string message = failure.what();
  for (const char* before : {"] ", " - "}) {
    if (const size_t end = message.find(before); end != std::string::npos) message.erase(0, end + std::strlen(before));
  }
  return message.substr(0, message.find("; last read"));
}

/// Builds the value that a text holds. Unlike the library's own parser, it takes a time that is linear in the number of
/// an object's keys, reports a key that an object has twice instead of keeping one of the two values, and values that
/// are nested so deeply that copying or writing them, which the library does recursively, would overflow the stack.
class ValueBuilder : public nlohmann::json_sax<Json> {
 public:
  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(int64_t value) override { return add(value); }
  bool number_unsigned(uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string& /*digits*/) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(binary_t& value) override { return add(std::move(value)); }
  bool start_array(size_t /*size*/) override { return open(Json::array()); }
  bool start_object(size_t /*size*/) override { return open(Json::object()); }
  bool end_array() override { return close(); }
  bool end_object() override { return close(); }

  bool key(std::string& key) override {
    if (!open_.back().keys.insert(key).second) {
      throw Error("not JSON: the key {} occurs twice in an object", json_text(key));
    }
    open_.back().key = std::move(key);
    return true;
  }

  bool parse_error(size_t position, const std::string& /*token*/, const Json::exception& failure) override {
    // Other exceptions are of numbers that are too large.
    if (dynamic_cast<const Json::parse_error*>(&failure) == nullptr) throw Error("not JSON: {}", reason_of(failure));
    throw Error("not JSON: {} at byte {}", reason_of(failure), position);
  }

 private:
  struct Container {
    Json* value;
    std::string key = {};  // of the value that follows, in an object
    std::unordered_set<std::string> keys = {};
  };

  using Members = Json::object_t::Container;

  Json& place(Json value) {
    static constexpr size_t kMaxDepth = 100;
    if (open_.size() > kMaxDepth) throw Error("not JSON that can be read: more than {} levels of nesting", kMaxDepth);
    if (open_.empty()) return root_ = std::move(value);
    Json& container = *open_.back().value;
    if (container.is_array()) return container.get_ref<Json::array_t&>().emplace_back(std::move(value));
    auto& members = static_cast<Members&>(container.get_ref<Json::object_t&>());
    if (members.size() == members.capacity()) grow(members);
    return members.emplace_back(std::move(open_.back().key), std::move(value)).second;
  }
  /// Doubles the capacity. The vector itself would copy all values, because its keys are const and cannot be moved.
  static void grow(Members& members) {
    Members larger;
    larger.reserve(2 * members.size() + 1);
    for (auto& [key, value] : members) larger.emplace_back(key, std::move(value));
    members.swap(larger);
  }
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json container) {
    // Its place does not move: what holds it grows no more until it is closed.
    open_.push_back({&place(std::move(container))});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Container> open_;  // around the current position
};

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
  ValueBuilder builder;
  Json::sax_parse(text, &builder);
  return builder.take();
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
