#include "base/formats/xml_parser.h"

#include <unicode/ucnv.h>

#include <algorithm>
#include <new>

#include "base/formats/segments.h"
#include "base/words.h"

namespace transformer {
namespace {

std::string local_name(std::string_view name) { return lower_case(name.substr(name.rfind(':') + 1)); }

/// The level of an element that is a unit or a part of one, of which each may hold only those of higher levels: units
/// (1), their versions and the segments of a unit of XLIFF 2 (2), and text (3). 0: another element.
int level_of(std::string_view name) {
  if (is_in(name, {"tu", "trans-unit", "unit", "doc"})) return 1;
  if (is_in(name, {"tuv", "segment", "src", "ref", "hyp"})) return 2;
  return is_in(name, {"seg", "source", "seg-source", "target"}) ? 3 : 0;
}

/// Describes an encoding that expat does not know itself, if it has one byte for each character.
int find_encoding(void*, const char* name, XML_Encoding* encoding) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UConverter, void (*)(UConverter*)> converter(ucnv_open(name, &status), ucnv_close);
  if (U_FAILURE(status) || ucnv_getMaxCharSize(converter.get()) != 1) return XML_STATUS_ERROR;
  ucnv_setToUCallBack(converter.get(), UCNV_TO_U_CALLBACK_STOP, nullptr, nullptr, nullptr, &status);
  for (size_t i = 0; i < std::size(encoding->map); ++i) {
    const char byte = static_cast<char>(i);
    const char* next = &byte;
    UErrorCode failure = U_ZERO_ERROR;
    const UChar32 character = ucnv_getNextUChar(converter.get(), &next, &byte + 1, &failure);
    encoding->map[i] = U_FAILURE(failure) ? -1 : character;
    ucnv_resetToUnicode(converter.get());
  }
  return XML_STATUS_OK;
}

}  // namespace

std::string language_form(std::string_view code) {
  std::string form = lower_case(code);
  std::replace(form.begin(), form.end(), '_', '-');
  return form;
}

int language_fit(std::string_view code, std::string_view wanted) {
  const std::string form = language_form(code), wanted_form = language_form(wanted);
  if (form == wanted_form) return 2;
  return form.starts_with(wanted_form + '-') ? 1 : 0;
}

std::string XmlAttributes::first_of(std::initializer_list<std::string_view> names) const {
  for (const std::string_view wanted : names) {
    for (const char** pair = pairs_; *pair != nullptr; pair += 2) {
      if (lower_case(pair[0]) == wanted) return pair[1];
    }
  }
  return "";
}

std::string XmlAttributes::text() const {
  std::string text;
  for (const char** pair = pairs_; *pair != nullptr; pair += 2) {
    text += std::string(" ") + pair[0] + "=\"" + pair[1] + '"';
  }
  return text;
}

XmlParser::XmlParser(const char* encoding) : parser_(XML_ParserCreate(encoding), XML_ParserFree) {
  if (!parser_) throw std::bad_alloc();
  XML_SetUserData(parser_.get(), this);
  XML_SetUnknownEncodingHandler(parser_.get(), find_encoding, nullptr);
  XML_SetElementHandler(
      parser_.get(),
      [](void* self, const char* name, const char** attributes) {
        auto* parser = static_cast<XmlParser*>(self);
        parser->guard([&] {
          const std::string local = local_name(name);
          parser->enter(local);
          parser->begin_element(local, XmlAttributes(attributes));
        });
      },
      [](void* self, const char* name) {
        auto* parser = static_cast<XmlParser*>(self);
        parser->guard([&] {
          const std::string local = local_name(name);
          parser->end_element(local);
          parser->leave(local);
        });
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

void XmlParser::enter(const std::string& name) {
  const int level = level_of(name);
  if (level == 0) return;
  OpenPart* const around = open_parts_.empty() ? nullptr : &open_parts_.back();
  static constexpr const char* kNoPairs =
      "so that it is not known which texts are pairs; export the pairs anew, those of OPUS's corpora as Moses text "
      "(`opus_read -wm moses`)";
  if (around != nullptr && name == "tu") {
    throw FormatError(line(), "has a unit in a unit, <{}> in the <{}> of line {}, {}", name, around->name, around->line,
                      kNoPairs);
  }
  if (around != nullptr && level_of(around->name) >= level) {
    throw FormatError(line(),
                      "has <{}> in the <{}> of line {}, so that it is not known which text belongs to which; export "
                      "the file anew, or end the outer element before the inner one",
                      name, around->name, around->line);
  }
  const bool is_in_unit = around != nullptr && around->name == "tu";
  if ((name == "tuv" && !is_in_unit) || (name == "seg" && is_in_unit)) {
    throw FormatError(line(), "has <{}> outside of <{}>, {}", name, name == "tuv" ? "tu" : "tuv", kNoPairs);
  }
  if (name == "seg" && around != nullptr && around->name == "tuv") {
    if (around->has_segment) {
      throw FormatError(line(), "has a second <seg> in the <tuv> of line {}; join the two, or give each a unit",
                        around->line);
    }
    around->has_segment = true;
  }
  open_parts_.push_back({name, line()});
}

void XmlParser::leave(const std::string& name) {
  if (level_of(name) > 0) open_parts_.pop_back();
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
    if (XML_GetErrorCode(parser_.get()) == XML_ERROR_UNKNOWN_ENCODING) {
      throw FormatError(line(), "its encoding is not read; convert the file to UTF-8, and let it declare that");
    }
    throw FormatError(line(), "its XML is broken: {}; repair the file, or make it again",
                      XML_ErrorString(XML_GetErrorCode(parser_.get())));
  } while (!bytes.empty());
}

}  // namespace transformer
