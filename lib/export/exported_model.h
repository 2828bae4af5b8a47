#pragma once

#include <string>

#include "decoding/decoding_config.h"
#include "model/model_config.h"
#include "serialization/archive.h"
#include "settings/rules.h"
#include "text/tokenizers.h"

namespace transformer {

/// A model that is to be written for another program.
struct ExportedModel {
  const ModelConfig& model;
  const DecodingConfig& decoding;
  const NamedTensors& parameters;  // by the names of docs/files.md
  const Tokenizers& tokenizers;
};

/// Throws Error, which names the key, if a rule is broken: `program` has no network for such a model.
void check_is_held(const Rules& rules, const std::string& directory, const std::string& program);

/// Warns of settings of the search that the program does not have, so that it searches otherwise.
void warn_of_other_search(const Rules& rules, const std::string& program);

/// Throws Error unless the directory is empty or does not exist.
void check_is_empty(const std::string& directory);

}  // namespace transformer
