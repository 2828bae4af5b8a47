#include "reporting/sample_translations.h"

#include <fmt/core.h>

#include "base/json.h"
#include "reporting/step_lines.h"

namespace transformer {
namespace {

ValidationSamples to_samples(const Json& object) {
  ValidationSamples samples{integer_of(member_of(object, "step")), {}};
  for (const Json& sample : array_of(member_of(object, "translations"))) {
    samples.translations.push_back({string_of(member_of(sample, "source")), string_of(member_of(sample, "reference")),
                                    string_of(member_of(sample, "translation"))});
  }
  return samples;
}

}  // namespace

std::string text_of(const SampleTranslation& sample) {
  return fmt::format("    source      {}\n    reference   {}\n    translation {}", sample.source, sample.reference,
                     sample.translation);
}

void append_samples(const std::string& path, const ValidationSamples& samples) {
  Json translations = Json::array();
  for (const auto& [source, reference, translation] : samples.translations) {
    translations.push_back({{"source", source}, {"reference", reference}, {"translation", translation}});
  }
  append_step_line(path, {{"step", samples.step}, {"translations", translations}});
}

void drop_samples_after(const std::string& path, int64_t step) { drop_step_lines_after(path, step, to_samples); }

std::vector<ValidationSamples> read_samples(const std::string& path) {
  std::vector<ValidationSamples> lines;
  read_step_lines(path, [&](const Json& object) { lines.push_back(to_samples(object)); });
  return lines;
}

}  // namespace transformer
