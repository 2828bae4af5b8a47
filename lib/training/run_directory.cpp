#include "training/run_directory.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/log.h"
#include "base/make_directory.h"
#include "base/temporary_file.h"

namespace transformer {

std::string RunDirectory::checkpoint(int64_t step) const {
  static constexpr size_t kDigits = 8;
  std::string digits = std::to_string(step);
  digits.insert(0, digits.size() < kDigits ? kDigits - digits.size() : 0, '0');
  return checkpoints_directory() + "/step-" + digits + ".pt";
}

std::vector<std::string> RunDirectory::checkpoints() const {
  std::vector<std::string> paths;
  if (!std::filesystem::is_directory(checkpoints_directory())) return paths;
  for (const auto& entry : std::filesystem::directory_iterator(checkpoints_directory())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("step-") && name.ends_with(".pt")) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::optional<Checkpoint> RunDirectory::newest_checkpoint() const {
  auto paths = checkpoints();
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
    try {
      return load_checkpoint(*path);
    } catch (const DamagedFile& damage) {
      log_warning("{}; skipped", damage.what());
    }
  }
  if (!paths.empty()) {
    throw Error("{}: none of its {} checkpoints is intact; put an intact one there, or start again with --overwrite",
                path_, paths.size());
  }
  return std::nullopt;
}

void RunDirectory::save(const Checkpoint& checkpoint, int64_t keep) const {
  save_checkpoint(this->checkpoint(checkpoint.state.step), checkpoint);
  auto paths = checkpoints();
  for (; paths.back() > this->checkpoint(checkpoint.state.step); paths.pop_back())
    std::filesystem::remove(paths.back());
  const auto surplus = static_cast<int64_t>(paths.size()) - keep;
  for (int64_t i = 0; i < surplus; ++i) std::filesystem::remove(paths[static_cast<size_t>(i)]);
}

DirectoryLock RunDirectory::lock() const {
  make_directory(checkpoints_directory());
  return {path_, "another process is training here; wait for it or stop it"};
}

void RunDirectory::remove_leftovers() const {
  transformer::remove_leftovers(path_);
  transformer::remove_leftovers(checkpoints_directory());
}

void RunDirectory::clear() const {
  for (const auto& path : checkpoints()) std::filesystem::remove(path);
  for (const auto& file : {config(), metrics(), report(), log()}) std::filesystem::remove(file);
}

}  // namespace transformer
