#pragma once

#include <filesystem>

namespace transformer {

/// The directory of the running program's file.
std::filesystem::path program_directory();

}  // namespace transformer
