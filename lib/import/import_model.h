#pragma once

#include <string>

namespace transformer {

/// Writes a model file from a directory in the safetensors format, as export_safetensors writes it. Throws Error if the
/// directory holds no model whose parts fit together, UsageError if `output` is no place for a model file
/// (check_model_output).
void import_model(const std::string& directory, const std::string& output);

}  // namespace transformer
