#include "base/formats/xml_parser.h"

#include <algorithm>
#include <cctype>
#include <new>

#include "base/formats/segments.h"

namespace transformer {
namespace {

std::string local_name(std::string_view name) { return lower_case(name.substr(name.rfind(':') + 1)); }

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string language_form(std::string_view code) {
  std::string form = lower_case(code);
  std::replace(form.begin(), form.end(), '_', '-');
  return form;
}

bool is_in(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string XmlAttributes::first_of(std::initializer_list<std::string_view> names) const {
  for (const std::string_view wanted : names) {
    for (const char** pair = pairs_; *pair != nullptr; pair += 2) {
      if (lower_case(pair[0]) == wanted) return pair[1];
    }
  }
  return "";
}

XmlParser::XmlParser(const char* encoding) : parser_(XML_ParserCreate(encoding), XML_ParserFree) {
  if (!parser_) throw std::bad_alloc();
  XML_SetUserData(parser_.get(), this);
  XML_SetElementHandler(
      parser_.get(),
      [](void* self, const char* name, const char** attributes) {
        auto* parser = static_cast<XmlParser*>(self);
        parser->guard([&] { parser->begin_element(local_name(name), XmlAttributes(attributes)); });
      },
      [](void* self, const char* name) {
        auto* parser = static_cast<XmlParser*>(self);
        parser->guard([&] { parser->end_element(local_name(name)); });
      });
  XML_SetCharacterDataHandler(parser_.get(), [](void* self, const char* text, int size) {
    auto* parser = static_cast<XmlParser*>(self);
    parser->guard([&] { parser->add_text({text, static_cast<size_t>(size)}); });
  });
  XML_SetEntityDeclHandler(parser_.get(), [](void* self, const char* name, int is_parameter, const char* value,
                                             int size, const char*, const char*, const char*, const char*) {
    static_cast<XmlParser*>(self)->on_entity(name, is_parameter != 0, value, size);
  });
  XML_SetSkippedEntityHandler(parser_.get(), [](void* self, const char* name, int) {
    auto* parser = static_cast<XmlParser*>(self);
    parser->guard([&] {
      throw FormatError(parser->line(), "the entity &{}; is not defined in this file; write the character instead",
                        name);
    });
  });
}

/// Exceptions must not pass through expat, which is written in C.
template <class Function>
void XmlParser::guard(const Function& function) {
  if (failure_) return;
  try {
    function();
  } catch (...) {
    failure_ = std::current_exception();
    XML_StopParser(parser_.get(), XML_FALSE);
  }
}

/// Only entities that stand for a character are expanded, so that no file grows when it is read.
void XmlParser::on_entity(const char* name, bool is_parameter, const char* value, int size) {
  guard([&] {
    static constexpr int kMaxBytes = 4;
    const bool is_character = !is_parameter && value != nullptr && size <= kMaxBytes &&
                              std::string_view(value, static_cast<size_t>(size)).find('&') == std::string_view::npos;
    if (is_character) return;
    throw FormatError(line(),
                      "the entity '{}' that it declares is not a single character; write its text instead of it", name);
  });
}

void XmlParser::parse(std::string_view bytes, bool is_last) {
  static constexpr size_t kMaxBytes = size_t{1} << 30;  // expat counts in int
  do {
    const std::string_view now = bytes.substr(0, kMaxBytes);
    bytes.remove_prefix(now.size());
    const bool ends = is_last && bytes.empty();
    const auto status = XML_Parse(parser_.get(), now.data(), static_cast<int>(now.size()), ends ? 1 : 0);
    if (failure_) std::rethrow_exception(failure_);
    if (status == XML_STATUS_OK) continue;
    throw FormatError(line(), "its XML is broken: {}; repair the file, or make it again",
                      XML_ErrorString(XML_GetErrorCode(parser_.get())));
  } while (!bytes.empty());
}

}  // namespace transformer
