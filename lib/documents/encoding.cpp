#include "documents/encoding.h"

#include <unicode/ucnv.h>
#include <unicode/unistr.h>

#include <memory>
#include <regex>

#include "base/error.h"
#include "base/formats/xml_parser.h"

namespace transformer {
namespace {

using Converter = std::unique_ptr<UConverter, void (*)(UConverter*)>;

Converter open_converter(const std::string& encoding) {
  UErrorCode status = U_ZERO_ERROR;
  Converter converter(ucnv_open(encoding.c_str(), &status), ucnv_close);
  if (U_FAILURE(status)) throw Error("its encoding '{}' is not known; convert it to UTF-8", encoding);
  return converter;
}

}  // namespace

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
