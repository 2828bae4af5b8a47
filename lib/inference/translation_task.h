#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decoding/decoding_config.h"
#include "inference/decoding_overrides.h"
#include "inference/part_options.h"
#include "inference/translation_choice.h"
#include "inference/translation_format.h"
#include "inference/translator_options.h"

namespace transformer {

/// A text to translate, and how. The path "-" is stdin or stdout.
struct TranslationTask {
  std::vector<std::string> models;  // files, for checks; several are an ensemble
  std::string input = "-", output = "-";
  std::string prefix;              // a file with a forced prefix for each line; empty: none
  std::string forbid;              // a file with a word or phrase in each line that no output has; empty: none
  std::string terminology;         // a file of terms, each a line with source, tab and target; empty: none
  std::optional<std::string> tag;  // to put before each line, or segment, that begins with none; see SourceTags
  DecodingOverrides decoding;
  TranslatorOptions translator;
  TranslationFormat format;
  TranslationChoice choice;
  ExpectedUtilities utilities = {};  // for `choice.mbr`
  std::string into;                  // for documents: the part for the translations (documents/read_document.h)
  PartOptions parts = {};
};

/// Returns the task with the words and terms of its files. Throws UsageError if the output would replace an input or
/// one of the models' files, ParameterError if the task's settings contradict each other, and Error if a file cannot be
/// read.
TranslationTask checked(TranslationTask task);

/// Throws ParameterError if the task does not fit the settings of the search.
void check_fits_task(const TranslationTask& task, const DecodingConfig& config);

}  // namespace transformer
