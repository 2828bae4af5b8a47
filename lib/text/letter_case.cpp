#include "text/letter_case.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <cstdint>

#include "base/utf8.h"

namespace transformer {
namespace {

/// Calls `write_word(word, out)` for each word that is not in angle brackets, and copies all else.
template <class WriteWord>
std::string with_each_word(std::string_view text, const WriteWord& write_word) {
  std::string out;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (word.starts_with('<') && word.ends_with('>')) {
      out += word;
    } else {
      write_word(word, out);
    }
    text.remove_prefix(word.size());
    if (text.empty()) break;
    out += ' ';
    text.remove_prefix(1);
  }
  return out;
}

void append_upper(std::string_view word, std::string& out) {
  static constexpr const char* kNoLanguage = "";
  icu::StringByteSink<std::string> sink(&out, static_cast<int32_t>(word.size()));
  UErrorCode status = U_ZERO_ERROR;
  icu::CaseMap::utf8ToUpper(kNoLanguage, 0, {word.data(), static_cast<int32_t>(word.size())}, sink, nullptr, status);
}

void append_title(std::string_view word, std::string& out) {
  std::u32string characters = decode_utf8(word);
  const auto first = std::find_if(characters.begin(), characters.end(),
                                  [](char32_t c) { return u_isalnum(static_cast<UChar32>(c)) != 0; });
  if (first != characters.end()) *first = static_cast<char32_t>(u_totitle(static_cast<UChar32>(*first)));
  out += encode_utf8(characters);
}

}  // namespace

std::string to_upper(std::string_view text) { return with_each_word(text, append_upper); }

std::string to_title(std::string_view text) { return with_each_word(text, append_title); }

}  // namespace transformer
