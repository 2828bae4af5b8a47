#include "serving/languages.h"

#include <unicode/locid.h>

#include <map>
#include <regex>
#include <set>

namespace transformer {
namespace {

/// "German" of "de"; the code itself if ICU does not know it.
std::string language_name(const std::string& code) {
  icu::UnicodeString name;
  icu::Locale::createCanonical(code.c_str()).getDisplayName(icu::Locale::getEnglish(), name);
  std::string text;
  return name.toUTF8String(text);
}

}  // namespace

std::optional<LanguagePair> languages_in(const std::string& model_name) {
  static const std::regex form("([a-z]{2,3}(?:_[A-Za-z]+)?)-([a-z]{2,3}(?:_[A-Za-z]+)?)");
  std::smatch match;
  if (!std::regex_match(model_name, match, form)) return std::nullopt;
  return LanguagePair{match.str(1), match.str(2)};
}

Json language_list(const std::vector<LanguagePair>& pairs) {
  std::map<std::string, std::set<std::string>> targets;  // of each language, also of one that is a target only
  for (const auto& [source, target] : pairs) {
    targets[source].insert(target);
    targets[target];
  }
  Json list = Json::array();
  for (const auto& [code, of_code] : targets) {
    list.push_back({{"code", code}, {"name", language_name(code)}, {"targets", of_code}});
  }
  return list;
}

}  // namespace transformer
