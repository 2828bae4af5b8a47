#include "training/run_directory.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"

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
    } catch (const Error& damage) {
      log_warning(damage.what(), "; passed over, the one before it is used");
    }
  }
  return std::nullopt;
}

void RunDirectory::save(const Checkpoint& checkpoint, int64_t keep) const {
  save_checkpoint(this->checkpoint(checkpoint.state.step), checkpoint);
  const auto paths = checkpoints();
  const auto surplus = static_cast<int64_t>(paths.size()) - keep;
  for (int64_t i = 0; i < surplus; ++i) std::filesystem::remove(paths[static_cast<size_t>(i)]);
}

void RunDirectory::create() const { make_directory(checkpoints_directory()); }

void RunDirectory::clear() const {
  std::filesystem::remove_all(checkpoints_directory());
  for (const auto& file : {config(), metrics(), report(), log()}) std::filesystem::remove(file);
}

}  // namespace transformer
