#include "reporting/sample_translations.h"

#include <fmt/core.h>

#include <utility>

#include "base/json.h"

namespace transformer {
std::string text_of(const SampleTranslation& sample) {
  return fmt::format("    source      {}\n    reference   {}\n    translation {}", sample.source, sample.reference,
                     sample.translation);
}

void to_json(Json& object, const ValidationSamples& samples) {
  Json translations = Json::array();
  for (const auto& [source, reference, translation] : samples.translations) {
    translations.push_back({{"source", source}, {"reference", reference}, {"translation", translation}});
  }
  object = {{"step", samples.step}, {"translations", std::move(translations)}};
}

void from_json(const Json& object, ValidationSamples& samples) {
  samples.step = integer_of(member_of(object, "step"));
  for (const Json& sample : array_of(member_of(object, "translations"))) {
    samples.translations.push_back({string_of(member_of(sample, "source")), string_of(member_of(sample, "reference")),
                                    string_of(member_of(sample, "translation"))});
  }
}

}  // namespace transformer
