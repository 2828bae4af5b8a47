#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace transformer {

/// A sentence of the validation text and its translation at one validation.
struct SampleTranslation {
  std::string source, reference, translation;
};

/// The sample in three indented lines.
std::string text_of(const SampleTranslation& sample);

/// The sample translations of one validation, a line of samples.jsonl.
struct ValidationSamples {
  int64_t step = 0;
  std::vector<SampleTranslation> translations;
};

/// The line of the file, such as
/// `{"step":100,"translations":[{"source":"...","reference":"...","translation":"..."}]}`; see step_lines.h. from_json
/// throws Error.
void to_json(nlohmann::ordered_json& object, const ValidationSamples& samples);
void from_json(const nlohmann::ordered_json& object, ValidationSamples& samples);

}  // namespace transformer
