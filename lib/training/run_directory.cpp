#include "training/run_directory.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/log.h"
#include "base/make_directory.h"
#include "base/temporary_file.h"

namespace transformer {
namespace {

/// What the names of skipped checkpoints end with when later ones take their place.
constexpr const char* kSkipped = ".skipped";

}  // namespace

std::string RunDirectory::checkpoint(int64_t step) const {
  return checkpoints_directory() + "/" + checkpoint_name(step);
}

std::vector<std::string> RunDirectory::checkpoints() const {
  std::vector<std::string> paths;
  if (!std::filesystem::is_directory(checkpoints_directory())) return paths;
  for (const auto& entry : std::filesystem::directory_iterator(checkpoints_directory())) {
    if (entry.is_regular_file() && step_of_name(entry.path())) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end(), [](const auto& a, const auto& b) { return step_of_name(a) < step_of_name(b); });
  return paths;
}

std::optional<std::string> RunDirectory::checkpoint_until(int64_t step) const {
  const auto paths = checkpoints();
  const auto newest =
      std::find_if(paths.rbegin(), paths.rend(), [&](const auto& path) { return *step_of_name(path) <= step; });
  return newest == paths.rend() ? std::nullopt : std::optional(*newest);
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
    throw Error("{}: none of its checkpoints is intact; put an intact one there, or start again with --overwrite",
                path_);
  }
  return std::nullopt;
}

void RunDirectory::save(const Checkpoint& checkpoint, int64_t keep) const {
  save_checkpoint(this->checkpoint(checkpoint.state.step), checkpoint);
  auto paths = checkpoints();
  for (; *step_of_name(paths.back()) > checkpoint.state.step; paths.pop_back()) {
    std::filesystem::rename(paths.back(), paths.back() + kSkipped);
  }
  const auto surplus = static_cast<int64_t>(paths.size()) - keep;
  for (int64_t i = 0; i < surplus; ++i) std::filesystem::remove(paths[static_cast<size_t>(i)]);
}

DirectoryLock RunDirectory::lock() const {
  make_directory(checkpoints_directory());
  DirectoryLock lock(path_);
  if (!lock.try_exclusive()) throw Error("{}: another process is training here; wait for it or stop it", path_);
  return lock;
}

void RunDirectory::remove_leftovers() const {
  transformer::remove_leftovers(path_);
  transformer::remove_leftovers(checkpoints_directory());
}

void RunDirectory::clear() const {
  for (const auto& path : checkpoints()) std::filesystem::remove(path);
  for (const auto& file : {best(), config(), metrics(), samples(), facts(), report(), log()})
    std::filesystem::remove(file);
  std::filesystem::remove_all(tensorboard());
}

}  // namespace transformer
