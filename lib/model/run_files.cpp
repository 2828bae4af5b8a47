#include "model/run_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace transformer {
namespace {

constexpr const char* kCheckpoints = "checkpoints";
constexpr const char* kModelSuffix = ".safetensors";
constexpr const char* kOldSuffix = ".pt";  // of the files of older versions

/// The first of these files that is there; nullopt if there is none.
std::optional<std::string> existing(const std::string& path, const std::string& old_path) {
  for (const std::string& file : {path, old_path}) {
    if (std::filesystem::is_regular_file(file)) return file;
  }
  return std::nullopt;
}

}  // namespace

std::string checkpoint_name(int64_t step) { return fmt::format("step-{:08}{}", step, kModelSuffix); }

std::optional<int64_t> step_of_name(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  const size_t digits = name.find_first_of("0123456789");
  int64_t step = 0;
  if (digits == std::string::npos) return std::nullopt;
  const auto [end, error] = std::from_chars(name.data() + digits, name.data() + name.size(), step);
  if (error != std::errc()) return std::nullopt;
  const std::string stem = fmt::format("step-{:08}", step);
  return name == stem + kModelSuffix || name == stem + kOldSuffix ? std::optional(step) : std::nullopt;
}

std::optional<std::string> run_of_checkpoint(const std::string& file) {
  const auto folder = std::filesystem::weakly_canonical(std::filesystem::absolute(file)).parent_path();
  if (folder.filename() != kCheckpoints) return std::nullopt;
  return folder.parent_path().string();
}

std::vector<std::string> checkpoint_files(const std::string& directory, const std::string& suffix) {
  std::vector<std::pair<int64_t, std::string>> files;
  if (!std::filesystem::is_directory(directory)) return {};
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file() || !path.ends_with(suffix)) continue;
    const auto step = step_of_name(path.substr(0, path.size() - suffix.size()));
    if (step) files.emplace_back(*step, path);
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> paths;
  for (auto& [step, path] : files) paths.push_back(std::move(path));
  return paths;
}

std::string RunFiles::checkpoint(int64_t step) const { return checkpoints_directory() + "/" + checkpoint_name(step); }

std::string RunFiles::averaged() const { return path_ + "/averaged" + kModelSuffix; }

std::string RunFiles::best() const { return checkpoints_directory() + "/best" + kModelSuffix; }

std::optional<std::string> RunFiles::existing_averaged() const { return existing(averaged(), old_averaged()); }

std::optional<std::string> RunFiles::existing_best() const { return existing(best(), old_best()); }

std::string RunFiles::checkpoints_directory() const { return path_ + "/" + kCheckpoints; }

std::optional<std::string> RunFiles::newest_checkpoint_up_to(int64_t step) const {
  const auto paths = checkpoints();
  const auto newest =
      std::find_if(paths.rbegin(), paths.rend(), [&](const auto& path) { return *step_of_name(path) <= step; });
  return newest == paths.rend() ? std::nullopt : std::optional(*newest);
}

}  // namespace transformer
