#pragma once

#include <string>
#include <vector>

#include "inference/decoding_overrides.h"
#include "inference/translation_format.h"
#include "inference/translator_options.h"
#include "ops/packed_weight.h"

namespace transformer {

/// What the command `translate` is asked to do. The path "-" is stdin or stdout.
struct TranslationTask {
  std::vector<std::string> models;  // several are an ensemble
  std::string input = "-", output = "-";
  std::string prefix;  // a file with a forced prefix for each line; empty: none
  DecodingOverrides decoding;
  TranslatorOptions translator;
  WeightType weight_type = WeightType::fp32;
  TranslationFormat format;
};

/// Translates the input line by line, in blocks of lines that are searched together, on all devices. Input that arrives
/// slowly, from a pipe or a terminal, is translated as soon as it is there. A file as output appears only when it is
/// complete. Throws UsageError if the task's settings contradict each other or the model's config, and Error if a file
/// cannot be read or written or a prefix cannot be generated.
void translate_file(const TranslationTask& task, const std::vector<torch::Device>& devices);

}  // namespace transformer
