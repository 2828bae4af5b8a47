#include "run/run_config.h"

#include <filesystem>

#include "base/error.h"
#include "base/read_file.h"

namespace transformer {

Config parse_stored_config(const std::string& text, const std::string& name) {
  try {
    return parse_config(text, name);
  } catch (const UsageError& misfit) {
    throw DamagedFile("{}; use the version of this program that wrote it, or an undamaged copy", misfit.what());
  }
}

Config read_run_config(const RunDirectory& directory) {
  if (std::filesystem::is_regular_file(directory.path())) {
    throw Error("{}: is a file, not a run directory; give the directory that `transformer train` wrote",
                directory.path());
  }
  if (!std::filesystem::is_regular_file(directory.config())) {
    throw Error("{}: there is no run directory (no {}); check the path", directory.path(), directory.config());
  }
  return parse_stored_config(read_file(directory.config()), directory.config());
}

}  // namespace transformer
