#include "text/script.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>

namespace transformer {
namespace {

/// Codes that stand for several scripts, which characters have.
std::vector<int32_t> parts_of(UScriptCode code) {
  switch (code) {
    case USCRIPT_JAPANESE:
      return {USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA};
    case USCRIPT_KOREAN:
      return {USCRIPT_HANGUL, USCRIPT_HAN};
    case USCRIPT_SIMPLIFIED_HAN:
    case USCRIPT_TRADITIONAL_HAN:
      return {USCRIPT_HAN};
    default:
      return {code};
  }
}

}  // namespace

std::optional<Script> Script::find(const std::string& name) {
  if (name.empty()) return std::nullopt;      // which ICU would take for the language of this process
  static constexpr int32_t kMostScripts = 8;  // of a language
  std::array<UScriptCode, kMostScripts> found{};
  UErrorCode error = U_ZERO_ERROR;
  const int32_t count = uscript_getCode(name.c_str(), found.data(), kMostScripts, &error);
  if (U_FAILURE(error) || count < 1 || found[0] == USCRIPT_INVALID_CODE) return std::nullopt;
  std::vector<int32_t> codes;
  for (int32_t i = 0; i < count; ++i) {
    for (const int32_t code : parts_of(found.at(static_cast<size_t>(i)))) codes.push_back(code);
  }
  return Script(std::move(codes));
}

bool Script::writes(std::string_view text) const {
  int64_t num_letters = 0, num_of_script = 0;
  const auto length = static_cast<int32_t>(text.size());
  for (int32_t at = 0; at < length;) {
    UChar32 character = 0;
    U8_NEXT(text.data(), at, length, character);  // NOLINT
    if (character < 0 || !u_isalpha(character)) continue;
    ++num_letters;
    const auto has = [&](int32_t code) { return uscript_hasScript(character, static_cast<UScriptCode>(code)) != 0; };
    if (std::any_of(codes_.begin(), codes_.end(), has)) ++num_of_script;
  }
  return 2 * num_of_script >= num_letters;
}

}  // namespace transformer
