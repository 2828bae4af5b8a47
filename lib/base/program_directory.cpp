#include "base/program_directory.h"

namespace transformer {

std::filesystem::path program_directory() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

}  // namespace transformer
