#include "serving/call.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/format.h"
#include "base/json.h"
#include "base/parameter_error.h"
#include "base/parse_number.h"
#include "base/utf8.h"

namespace transformer {
namespace {

/// Calls `read`, and adds the key to the message if the value has another type.
template <class Read>
auto read_member(const std::string& key, const Json& value, const Read& read) {
  try {
    return read(value);
  } catch (const Error& misfit) {
    throw Error("'{}': {}", key, misfit.what());
  }
}

bool bool_of(const Json& value) {
  if (!value.is_boolean()) throw Error("expected true or false, got {}", shown_value(json_text(value)));
  return value.get<bool>();
}

std::vector<std::string> strings_of(const Json& value) {
  if (value.is_string()) return {string_of(value)};
  if (!value.is_array()) throw Error("expected a string or a list of strings, got {}", value.type_name());
  std::vector<std::string> strings;
  for (const Json& item : array_of(value)) strings.push_back(string_of(item));
  return strings;
}

const Json& required(const Json& object, const std::string& key) {
  if (!object.is_object()) throw Error("expected a JSON object with the key '{}', got {}", key, object.type_name());
  if (!object.contains(key)) throw Error("the key '{}' is missing", key);
  return object[key];
}

std::optional<char> hexadecimal_byte(std::string_view digits) {
  unsigned char byte = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
  if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2) return std::nullopt;
  return static_cast<char>(byte);
}

/// The text of a part of a form: "+" stands for a space, and "%C3" for a byte.
std::string form_decoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = text[i] == '%' ? hexadecimal_byte(text.substr(i + 1, 2)) : std::nullopt;
    decoded += byte ? *byte : text[i] == '+' ? ' ' : text[i];
    if (byte) i += 2;
  }
  return decoded;
}

bool is_form_type(std::string_view content_type) {
  static constexpr std::string_view kForm = "application/x-www-form-urlencoded";
  const auto lower = [](unsigned char c) { return std::tolower(c); };
  return std::ranges::equal(content_type.substr(0, kForm.size()), kForm, {}, lower);
}

/// The form's fields as a JSON object.
Json form_as_json(std::string_view body) {
  Json object = Json::object();
  while (!body.empty()) {
    const std::string_view field = body.substr(0, body.find('&'));
    body.remove_prefix(std::min(body.size(), field.size() + 1));
    if (field.empty()) continue;
    const size_t equals = field.find('=');
    const std::string key = form_decoded(field.substr(0, equals));
    const std::string value = equals == std::string_view::npos ? "" : form_decoded(field.substr(equals + 1));
    add_form_field(object, key, value);
  }
  return object;
}

/// A number of LibreTranslate's, which forms and some clients give as text.
int64_t count_of(const Json& value) {
  static constexpr int64_t kMost = 1023;
  const auto number = value.is_string() ? parse_number<int64_t>(string_of(value)) : integer_of(value);
  if (!number || *number < 0 || *number > kMost) {
    throw Error("must be a whole number from 0 to {}, got {}", kMost, shown_value(json_text(value)));
  }
  return *number;
}

}  // namespace

void add_form_field(Json& object, const std::string& name, const std::string& value) {
  if (!is_valid_utf8(name) || !is_valid_utf8(value)) throw Error("the form is not UTF-8");
  Json& member = object[name];
  if (member.is_null()) {
    member = value;
  } else {
    if (member.is_string()) member = Json::array({member});
    member.push_back(value);
  }
}

TranslateCall read_translate_call(std::string_view body) {
  const Json object = parse_json(body);
  TranslateCall call;
  for (std::string& text : read_member("text", required(object, "text"), strings_of)) {
    call.texts.push_back({.text = std::move(text)});
  }
  for (const auto& [key, value] : object.items()) {
    if (key == "text") continue;
    if (key == "model") {
      call.model = read_member(key, value, string_of);
    } else if (key == "stream") {
      call.stream = read_member(key, value, bool_of);
    } else if (key == "prefix") {
      set_prefixes(call.texts, value);
    } else {
      set_request_option(call.options, key, value, {"text", "model", "prefix", "stream"});
    }
  }
  return call;
}

SentencesCall read_sentences_call(std::string_view body) {
  const Json object = parse_json(body);
  SentencesCall call;
  call.texts = read_member("text", required(object, "text"), strings_of);
  call.parts.split = LineParts::sentences;
  for (const auto& [key, value] : object.items()) {
    if (key == "text") continue;
    if (key == "model") {
      call.model = read_member(key, value, string_of);
    } else if (key == "split_language") {
      call.parts.split_language = read_member(key, value, string_of);
    } else {
      throw ParameterError("unknown option '{}'; there are 'text', 'model' and 'split_language'", shown_value(key));
    }
  }
  check_part_options(call.parts);
  return call;
}

LibreTranslateCall read_libretranslate_call(std::string_view body, std::string_view content_type) {
  const Json object = is_form_type(content_type) ? form_as_json(body) : parse_json(body);
  LibreTranslateCall call;
  const Json& text = required(object, "q");
  call.is_list = text.is_array();
  call.texts = read_member("q", text, strings_of);
  call.source = read_member("source", required(object, "source"), string_of);
  call.target = read_member("target", required(object, "target"), string_of);
  for (const auto& [key, value] : object.items()) {
    if (key == "alternatives") call.num_alternatives = read_member(key, value, count_of);
    if (key == "api_key" && !value.is_null()) call.api_key = read_member(key, value, string_of);
    if (key == "format") {
      call.is_html = value == "html";
      if (!call.is_html && value != "text") {
        throw ParameterError("'format': must be text or html, got {}", shown_value(json_text(value)));
      }
    }
  }
  return call;
}

std::vector<std::string> lines_of_text(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0;;) {
    const size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return lines;
    begin = end + 1;
  }
}

}  // namespace transformer
