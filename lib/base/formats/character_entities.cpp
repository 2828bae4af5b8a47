#include "base/formats/character_entities.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <utility>

#include "base/utf8.h"

namespace transformer {
namespace {

/// The characters that HTML means by the numbers from 128 to 159, which are those of windows-1252.
constexpr std::array<char32_t, 32> kWindows1252 = {0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                   0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D, 0x8F,
                                                   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                   0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

/// The character of an entity, such as "amp" or "#xE9"; empty for one that is not known.
std::string character_of(std::string_view entity, NamedCharacters names) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 5> kKnown = {
      {{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}}};
  for (const auto& [name, character] : kKnown) {
    if (entity == name) return character;
  }
  if (!entity.starts_with('#')) return names == nullptr ? "" : names(entity);
  entity.remove_prefix(1);
  const bool is_hexadecimal = entity.starts_with('x') || entity.starts_with('X');
  uint32_t code = 0;
  for (const char c : entity.substr(is_hexadecimal ? 1 : 0)) {
    const bool is_digit = is_hexadecimal ? std::isxdigit(static_cast<unsigned char>(c)) != 0 : c >= '0' && c <= '9';
    if (!is_digit || code > 0x110000) return "";
    const uint32_t digit = c <= '9' ? static_cast<uint32_t>(c - '0') : static_cast<uint32_t>((c | 0x20) - 'a' + 10);
    code = code * (is_hexadecimal ? 16 : 10) + digit;
  }
  const bool is_character = code > 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  const bool is_html = names == html_character;
  const auto character = is_html && code >= 128 && code < 160 ? kWindows1252[code - 128] : static_cast<char32_t>(code);
  return is_character ? encode_utf8({&character, 1}) : "";
}

/// The names of the characters from U+00A0 to U+00FF. HTML knows them, and the next ones, also without a semicolon.
constexpr std::array<std::string_view, 96> kLatin1 = {
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",    "copy",   "ordf",
    "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn", "sup2",   "sup3",   "acute",  "micro",
    "para",   "middot", "cedil",  "sup1",   "ordm",   "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave",
    "Aacute", "Acirc",  "Atilde", "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",
    "Igrave", "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde", "Ouml",
    "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",  "szlig",  "agrave", "aacute",
    "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil", "egrave", "eacute", "ecirc",  "euml",   "igrave",
    "iacute", "icirc",  "iuml",   "eth",    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide",
    "oslash", "ugrave", "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};

constexpr std::array<std::string_view, 10> kAscii = {"amp", "lt", "gt",   "quot", "AMP",
                                                     "LT",  "GT", "QUOT", "COPY", "REG"};

constexpr std::pair<std::string_view, char32_t> kOthers[] = {
    {"ndash", U'\x2013'}, {"mdash", U'\x2014'},  {"lsquo", U'\x2018'},  {"rsquo", U'\x2019'},  {"sbquo", U'\x201A'},
    {"ldquo", U'\x201C'}, {"rdquo", U'\x201D'},  {"bdquo", U'\x201E'},  {"bull", U'\x2022'},   {"hellip", U'\x2026'},
    {"euro", U'\x20AC'},  {"trade", U'\x2122'},  {"lsaquo", U'\x2039'}, {"rsaquo", U'\x203A'}, {"prime", U'\x2032'},
    {"minus", U'\x2212'}, {"larr", U'\x2190'},   {"uarr", U'\x2191'},   {"rarr", U'\x2192'},   {"darr", U'\x2193'},
    {"harr", U'\x2194'},  {"OElig", U'\x152'},   {"oelig", U'\x153'},   {"Scaron", U'\x160'},  {"scaron", U'\x161'},
    {"Yuml", U'\x178'},   {"ensp", U'\x2002'},   {"emsp", U'\x2003'},   {"thinsp", U'\x2009'}, {"zwnj", U'\x200C'},
    {"zwj", U'\x200D'},   {"dagger", U'\x2020'}, {"Dagger", U'\x2021'}, {"permil", U'\x2030'}, {"infin", U'\x221E'},
    {"ne", U'\x2260'},    {"le", U'\x2264'},     {"ge", U'\x2265'},     {"asymp", U'\x2248'},  {"AMP", U'&'},
    {"LT", U'<'},         {"GT", U'>'},          {"QUOT", U'"'},        {"COPY", U'\xA9'},     {"REG", U'\xAE'}};

}  // namespace

std::string without_entities(std::string_view text, NamedCharacters names) {
  static constexpr size_t kLongest = 10;
  std::string plain;
  while (!text.empty()) {
    const size_t mark = std::min(text.find('&'), text.size());
    plain += text.substr(0, mark);
    text.remove_prefix(mark);
    if (text.empty()) break;
    const size_t end = text.substr(0, kLongest).find(';');
    const std::string character = end == std::string_view::npos ? "" : character_of(text.substr(1, end - 1), names);
    plain += character.empty() ? "&" : character;
    text.remove_prefix(character.empty() ? 1 : end + 1);
  }
  return plain;
}

size_t size_without_semicolon(std::string_view text) {
  if (!text.starts_with('&')) return 0;
  if (text.starts_with("&#")) {
    const bool is_hexadecimal = text.substr(2).starts_with('x') || text.substr(2).starts_with('X');
    const size_t begin = is_hexadecimal ? 3 : 2;
    const char* digits = is_hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
    const size_t end = std::min(text.find_first_not_of(digits, begin), text.size());
    return end > begin ? end : 0;
  }
  const auto begins = [&](std::string_view name) { return text.substr(1).starts_with(name); };
  if (const auto* name = std::find_if(kLatin1.begin(), kLatin1.end(), begins); name != kLatin1.end()) {
    return name->size() + 1;
  }
  const auto* name = std::find_if(kAscii.begin(), kAscii.end(), begins);
  return name == kAscii.end() ? 0 : name->size() + 1;
}

std::string html_character(std::string_view name) {
  char32_t character = 0;
  for (size_t i = 0; i < kLatin1.size(); ++i) {
    if (kLatin1[i] == name) character = static_cast<char32_t>(0xA0 + i);
  }
  for (const auto& [other, code] : kOthers) {
    if (other == name) character = code;
  }
  return character == 0 ? "" : encode_utf8({&character, 1});
}

}  // namespace transformer
