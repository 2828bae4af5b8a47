#include "run/run_config.h"

#include <filesystem>
#include <string_view>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/read_file.h"

namespace transformer {
namespace {

constexpr std::string_view kComment = "# The config of this run, written by `transformer train`.\n";

}  // namespace

void write_run_config(const RunFiles& directory, const Config& config) {
  write_file_atomically(directory.config(), std::string(kComment) + dump_config(config));
}

void check_has_no_other_config(const RunFiles& directory) {
  const std::string path = directory.config();
  if (!std::filesystem::exists(path) || read_beginning(path, kComment.size()) == kComment) return;
  throw UsageError(
      "{}: was not written by `transformer train`, which writes the run's config there; rename it, or choose another "
      "training.directory",
      path);
}

StoredConfig read_run_config(const RunFiles& directory) {
  if (std::filesystem::is_regular_file(directory.path())) {
    throw Error("{}: is a file, not a run directory; give the directory that `transformer train` wrote",
                directory.path());
  }
  if (!std::filesystem::is_regular_file(directory.config())) {
    throw Error("{}: there is no run directory (no {}); check the path", directory.path(), directory.config());
  }
  return parse_stored_config(read_file(directory.config()), directory.config());
}

StoredConfig config_of_model(const ModelFile& file, const std::string& path) {
  return parse_stored_config(file.config, path + " (config)", file.program);
}

}  // namespace transformer
