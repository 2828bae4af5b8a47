#pragma once

#include <cstdint>
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

/// Appends a line to the file, such as `{"step":100,"translations":[{"source":"...","reference":"...",
/// "translation":"..."}]}`. A resumed run calls `drop_samples_after` before.
void append_samples(const std::string& path, const ValidationSamples& samples);

/// See drop_step_lines_after.
void drop_samples_after(const std::string& path, int64_t step);

/// All lines of the file, in order; see read_step_lines.
std::vector<ValidationSamples> read_samples(const std::string& path);

}  // namespace transformer
