#pragma once

#include <string>
#include <vector>

#include "export/exported_model.h"

namespace transformer {

/// Writes a model as Hugging Face's MarianMT, which `MarianMTModel.from_pretrained` and `import` read, into a directory
/// that is empty or does not exist. Returns the paths of the files. Throws Error, which names the key, if MarianMT has
/// no network for the model; a setting of the search that transformers lacks is a warning.
std::vector<std::string> export_marianmt(const ExportedModel& exported, const std::string& directory);

}  // namespace transformer
