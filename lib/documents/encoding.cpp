#include "documents/encoding.h"

#include <unicode/ucnv.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <memory>
#include <regex>

#include "base/error.h"
#include "base/utf8.h"
#include "base/words.h"
#include "documents/markup_tag.h"

namespace transformer {
namespace {

using Converter = std::unique_ptr<UConverter, void (*)(UConverter*)>;

Converter open_converter(const std::string& encoding) {
  UErrorCode status = U_ZERO_ERROR;
  Converter converter(ucnv_open(encoding.c_str(), &status), ucnv_close);
  if (U_FAILURE(status)) throw Error("its encoding '{}' is not known; convert it to UTF-8", encoding);
  return converter;
}

/// The value of "charset" in a content type such as "text/html; charset=utf-8".
std::string charset_of(const std::string& content_type) {
  static const std::regex kCharset(R"(charset\s*=\s*["']?([^"';\s]+))");
  std::smatch found;
  return std::regex_search(content_type, found, kCharset) ? found[1].str() : "";
}

/// The encoding that browsers take for a name in HTML, which is not always the one that ICU takes; empty for UTF-8.
std::string encoding_of_label(const std::string& label) {
  if (is_in(label, {"utf-8", "utf8", "utf-16", "utf-16le", "utf-16be"})) return "";
  if (is_in(label, {"ascii", "us-ascii", "iso-8859-1", "iso8859-1", "latin1"})) return "windows-1252";
  if (is_in(label, {"iso-8859-9", "latin5"})) return "windows-1254";
  if (is_in(label, {"euc-kr", "ks_c_5601-1987"})) return "windows-949";
  return label == "gb2312" ? "gbk" : label;
}

}  // namespace

std::string html_encoding(std::string_view bytes) {
  static constexpr size_t kSearched = 1024;  // as HTML's standard does
  const bool is_ascii =
      std::all_of(bytes.begin(), bytes.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
  if (!is_ascii && is_valid_utf8(bytes)) return "";
  const std::string_view beginning = bytes.substr(0, kSearched);
  for (size_t at = beginning.find('<'); at != std::string_view::npos; at = beginning.find('<', at)) {
    const MarkupTag tag = tag_at(beginning, at);
    const std::string_view text = beginning.substr(at, tag.end == 0 ? 1 : tag.end - at);
    at += text.size();
    if (tag.name != "meta" || tag.is_end) continue;
    std::string charset = lower_case(attribute_of(text, "charset"));
    if (lower_case(attribute_of(text, "http-equiv")) == "content-type") {
      charset = charset_of(lower_case(attribute_of(text, "content")));
    }
    if (!charset.empty()) return encoding_of_label(std::string(trimmed(charset)));
  }
  return "";
}

std::string xml_encoding(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE")) return "UTF-16LE";
  if (bytes.starts_with("\xFE\xFF")) return "UTF-16BE";
  const std::string declaration(bytes.substr(0, bytes.substr(0, 200).find("?>")));
  static const std::regex kEncoding(R"(^(\xEF\xBB\xBF)?<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9._-]+)["'])");
  std::smatch found;
  if (!std::regex_search(declaration, found, kEncoding)) return "";
  const std::string name = lower_case(found[2].str());
  return is_in(name, {"utf-8", "utf8"}) ? "" : found[2].str();
}

std::string decoded(std::string_view bytes, const std::string& encoding) {
  const Converter converter = open_converter(encoding);
  UErrorCode status = U_ZERO_ERROR;
  const icu::UnicodeString text(bytes.data(), static_cast<int32_t>(bytes.size()), converter.get(), status);
  if (U_FAILURE(status)) throw Error("it cannot be read as {}: {}", encoding, u_errorName(status));
  std::string utf8;
  text.toUTF8String(utf8);
  if (encoded(utf8, encoding) != bytes) {
    throw Error("its bytes are not text in {}, which it declares; convert it to UTF-8", encoding);
  }
  return utf8;
}

std::string encoded(std::string_view text, const std::string& encoding) {
  const Converter converter = open_converter(encoding);
  UErrorCode status = U_ZERO_ERROR;
  ucnv_setFromUCallBack(converter.get(), UCNV_FROM_U_CALLBACK_ESCAPE, UCNV_ESCAPE_XML_DEC, nullptr, nullptr, &status);
  const auto units = icu::UnicodeString::fromUTF8({text.data(), static_cast<int32_t>(text.size())});
  std::string bytes(
      static_cast<size_t>(UCNV_GET_MAX_BYTES_FOR_STRING(units.length(), ucnv_getMaxCharSize(converter.get()))), '\0');
  // An unassigned character is written as a reference of up to 10 bytes.
  bytes.resize(bytes.size() + 10 * static_cast<size_t>(units.length()));
  const int32_t size = ucnv_fromUChars(converter.get(), bytes.data(), static_cast<int32_t>(bytes.size()),
                                       units.getBuffer(), units.length(), &status);
  if (U_FAILURE(status)) throw Error("its text cannot be written as {}: {}", encoding, u_errorName(status));
  bytes.resize(static_cast<size_t>(size));
  return bytes;
}

}  // namespace transformer
