#include "training/run_directory.h"

#include <filesystem>

#include "base/damaged_copy.h"
#include "base/error.h"
#include "base/log.h"
#include "base/make_directory.h"
#include "base/temporary_file.h"

namespace transformer {
namespace {

const std::string kSkipped = ".skipped";  // at the end of the name of a file that was set aside

}  // namespace

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
                path());
  }
  return std::nullopt;
}

void RunDirectory::save(const Checkpoint& checkpoint, int64_t keep) const {
  save_checkpoint(this->checkpoint(checkpoint.state.step), checkpoint);
  prune(checkpoint.state.step, keep);
}

void RunDirectory::prune(int64_t step, int64_t keep) const {
  auto paths = checkpoints();
  for (; !paths.empty() && *step_of_name(paths.back()) > step; paths.pop_back()) {
    std::filesystem::rename(paths.back(), paths.back() + kSkipped);
  }
  const auto surplus = static_cast<int64_t>(paths.size()) - keep;
  for (int64_t i = 0; i < surplus; ++i) std::filesystem::remove(paths[static_cast<size_t>(i)]);
}

void RunDirectory::set_aside(const std::optional<std::string>& file, const std::string& what) {
  if (!file) return;
  const std::string kept = *file + kSkipped;
  std::filesystem::rename(*file, kept);
  log_warning("{}: is {}; renamed to {}", *file, what, kept);
}

void RunDirectory::set_aside_best() const {
  set_aside(existing_best(), "the best model of a run that has no checkpoints and begins again");
}

void RunDirectory::set_aside_averaged() const { set_aside(existing_averaged(), "a model of the run that was removed"); }

DirectoryLock RunDirectory::lock() const {
  make_directory(checkpoints_directory());
  DirectoryLock lock(path());
  if (!lock.try_exclusive()) throw Error("{}: another process is training here; wait for it or stop it", path());
  return lock;
}

void RunDirectory::remove_leftovers() const {
  for (const auto& file : text_files()) remove_leftovers_of(file);
  transformer::remove_leftovers(checkpoints_directory());
}

std::vector<std::string> RunDirectory::text_files() const {
  return {config(), metrics(), damaged_copy(metrics()), samples(), damaged_copy(samples()), facts(), report(), log()};
}

void RunDirectory::clear() const {
  for (const auto& suffix : {std::string(), kSkipped}) {
    for (const auto& path : checkpoint_files(checkpoints_directory(), suffix)) std::filesystem::remove(path);
  }
  for (const auto& suffix : {std::string(), kSkipped}) {
    std::filesystem::remove(best() + suffix);
    std::filesystem::remove(old_best() + suffix);
  }
  for (const auto& file : text_files()) std::filesystem::remove(file);
  std::filesystem::remove_all(tensorboard());
}

}  // namespace transformer
