#include "platform/control_group.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace transformer {
namespace {

/// The number in a file; the largest number if the file does not exist or has the text "max", which means no limit.
int64_t memory_limit(const std::filesystem::path& path) {
  std::ifstream file(path);
  int64_t limit = 0;
  return file >> limit ? limit : std::numeric_limits<int64_t>::max();
}

/// The number of processors that a quota of processor time in each period allows, such as 1.5 for 150 ms in each 100
/// ms; infinity if the quota is no positive number, which means no limit.
double processor_limit(std::istream& quota, std::istream& period) {
  int64_t quota_us = 0, period_us = 0;
  const bool is_limited = quota >> quota_us && period >> period_us && quota_us > 0 && period_us > 0;
  return is_limited ? static_cast<double>(quota_us) / static_cast<double>(period_us)
                    : std::numeric_limits<double>::infinity();
}

/// Version 2 has both times, or "max" and the period, in one file.
double processor_limit_2(const std::filesystem::path& directory) {
  std::ifstream file(directory / "cpu.max");
  return processor_limit(file, file);
}

/// Version 1 has a quota of -1 where there is no limit.
double processor_limit_1(const std::filesystem::path& directory) {
  std::ifstream quota(directory / "cpu.cfs_quota_us"), period(directory / "cpu.cfs_period_us");
  return processor_limit(quota, period);
}

/// The least of the limits that `limit_in` finds in `folder` and in its subdirectories along `path`. Within a
/// container, `path` may be the host's, and only `folder` exists.
template <class Limit>
auto least_limit(const std::filesystem::path& folder, const std::filesystem::path& path, const Limit& limit_in) {
  std::filesystem::path directory = folder;
  auto least = limit_in(directory);
  for (const auto& part : path.relative_path()) {
    directory /= part;
    least = std::min(least, limit_in(directory));
  }
  return least;
}

/// The least limit of the process's groups. `controller` is the name that version 1 gives to what is limited.
template <class Limit2, class Limit1>
auto least_limit_of_groups(const std::filesystem::path& root, const std::string& controller, const Limit2& limit_2,
                           const Limit1& limit_1) {
  const auto version_2 = root / "sys/fs/cgroup", version_1 = version_2 / controller;
  auto least = std::min(limit_2(version_2), limit_1(version_1));
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // NUMBER:CONTROLLERS:PATH, without controllers in version 2
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, least_limit(version_2, path, limit_2));
    const bool is_limited_here = (',' + controllers + ',').find(',' + controller + ',') != std::string::npos;
    if (is_limited_here) least = std::min(least, least_limit(version_1, path, limit_1));
  }
  return least;
}

}  // namespace

int64_t control_group_memory(const std::filesystem::path& root) {
  return least_limit_of_groups(
      root, "memory", [](const auto& directory) { return memory_limit(directory / "memory.max"); },
      [](const auto& directory) { return memory_limit(directory / "memory.limit_in_bytes"); });
}

double control_group_processors(const std::filesystem::path& root) {
  return least_limit_of_groups(root, "cpu", processor_limit_2, processor_limit_1);
}

}  // namespace transformer
