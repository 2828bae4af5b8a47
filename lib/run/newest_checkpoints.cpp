#include "run/newest_checkpoints.h"

#include <filesystem>

#include "base/error.h"
#include "training/run_directory.h"

namespace transformer {

std::vector<std::string> newest_checkpoints(const std::string& run_directory, int64_t count) {
  if (!std::filesystem::is_directory(run_directory)) {
    throw Error("{}: there is no such run directory; check the path", run_directory);
  }
  const auto paths = RunDirectory(run_directory).checkpoints();
  if (std::ssize(paths) < count) {
    throw Error(
        "{}: has {} checkpoints, not {}; give a smaller --last, or train with a larger training.keep_checkpoints",
        run_directory, paths.size(), count);
  }
  return {paths.end() - count, paths.end()};
}

}  // namespace transformer
