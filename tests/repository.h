#pragma once

#include <filesystem>

namespace transformer {

/// The directory of the sources.
inline const std::filesystem::path kRepository = TRANSFORMER_SOURCE_DIR;
/// The directory of the configs that come with the program.
inline const std::filesystem::path kConfigs = kRepository / "configs";

}  // namespace transformer
