#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace transformer {

/// From which language into which a model translates.
struct LanguagePair {
  std::string source, target;  // codes, such as "en"
};

/// The languages in the name of a model, such as "en-de"; none if the name is not of this form.
std::optional<LanguagePair> languages_in(const std::string& model_name);

/// The source languages with their names in English and their targets, as LibreTranslate's `/languages` lists them.
Json language_list(const std::vector<LanguagePair>& pairs);

}  // namespace transformer
