#include "platform/control_group.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace transformer {
namespace {

/// The number in a file; the largest number if the file does not exist or has the text "max", which means no limit.
int64_t limit_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  int64_t limit = 0;
  return file >> limit ? limit : std::numeric_limits<int64_t>::max();
}

/// The least limit in the files `name` of `folder` and of its subdirectories along `path`. Within a container, `path`
/// may be the host's, and only `folder` exists.
int64_t least_limit(const std::filesystem::path& folder, const std::filesystem::path& path, const std::string& name) {
  std::filesystem::path directory = folder;
  int64_t least = limit_in(directory / name);
  for (const auto& part : path.relative_path()) {
    directory /= part;
    least = std::min(least, limit_in(directory / name));
  }
  return least;
}

}  // namespace

int64_t control_group_memory(const std::filesystem::path& root) {
  const auto version_2 = root / "sys/fs/cgroup", version_1 = version_2 / "memory";
  const auto limit_2 = [&](const std::string& path) { return least_limit(version_2, path, "memory.max"); };
  const auto limit_1 = [&](const std::string& path) { return least_limit(version_1, path, "memory.limit_in_bytes"); };
  int64_t least = std::min(limit_2(""), limit_1(""));
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // NUMBER:CONTROLLERS:PATH, without controllers in version 2
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first, second - first), path = line.substr(second + 1);
    if (controllers == ":") least = std::min(least, limit_2(path));
    if ((controllers + ",").find("memory,") != std::string::npos) least = std::min(least, limit_1(path));
  }
  return least;
}

}  // namespace transformer
