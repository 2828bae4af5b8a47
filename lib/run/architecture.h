#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "model/model_file.h"
#include "settings/fields.h"

namespace transformer {

/// All differences between the keys below `model`. A value that follows from other keys counts as given.
std::vector<KeyDifference> model_differences(const ModelConfig& there, const ModelConfig& here);

/// The differences with which the same parameters would be another model, such as another number of heads.
std::vector<KeyDifference> architecture_differences(const ModelConfig& there, const ModelConfig& here);

/// Throws Error if the model file that `training.init_from` names has another architecture than the config or other
/// vocabularies than `vocabularies`; `path` is the file.
void check_fits_config(const ModelFile& file, const std::string& path, const VocabularyModels& vocabularies,
                       const Config& config);

}  // namespace transformer
