#include "training/run_directory.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/damaged_copy.h"
#include "base/error.h"
#include "base/log.h"
#include "base/make_directory.h"
#include "base/temporary_file.h"

namespace transformer {
namespace {

constexpr const char* kCheckpoints = "checkpoints";
constexpr std::string_view kSkipped = ".skipped";  // at the end of the name of a file that was set aside

/// The regular files of a directory whose names are a checkpoint's, followed by `suffix`; oldest first.
std::vector<std::string> checkpoint_files(const std::string& directory, std::string_view suffix) {
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

}  // namespace

std::optional<std::string> run_of_checkpoint(const std::string& file) {
  const auto folder = std::filesystem::weakly_canonical(std::filesystem::absolute(file)).parent_path();
  if (folder.filename() != kCheckpoints) return std::nullopt;
  return folder.parent_path().string();
}

std::string RunDirectory::checkpoint(int64_t step) const {
  return checkpoints_directory() + "/" + checkpoint_name(step);
}

std::string RunDirectory::checkpoints_directory() const { return path_ + "/" + kCheckpoints; }

std::vector<std::string> RunDirectory::checkpoints() const { return checkpoint_files(checkpoints_directory(), ""); }

std::optional<std::string> RunDirectory::newest_checkpoint_up_to(int64_t step) const {
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
  prune(checkpoint.state.step, keep);
}

void RunDirectory::prune(int64_t step, int64_t keep) const {
  auto paths = checkpoints();
  for (; !paths.empty() && *step_of_name(paths.back()) > step; paths.pop_back()) {
    std::filesystem::rename(paths.back(), paths.back() + std::string(kSkipped));
  }
  const auto surplus = static_cast<int64_t>(paths.size()) - keep;
  for (int64_t i = 0; i < surplus; ++i) std::filesystem::remove(paths[static_cast<size_t>(i)]);
}

void RunDirectory::set_aside(const std::string& file, const std::string& what) {
  if (!std::filesystem::exists(file)) return;
  const std::string kept = file + std::string(kSkipped);
  std::filesystem::rename(file, kept);
  log_warning("{}: is {}; renamed to {}", file, what, kept);
}

void RunDirectory::set_aside_best() const {
  set_aside(best(), "the best model of a run that has no checkpoints and begins again");
}

void RunDirectory::set_aside_averaged() const { set_aside(averaged(), "a model of the run that was removed"); }

DirectoryLock RunDirectory::lock() const {
  make_directory(checkpoints_directory());
  DirectoryLock lock(path_);
  if (!lock.try_exclusive()) throw Error("{}: another process is training here; wait for it or stop it", path_);
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
  for (const auto suffix : {std::string_view(), kSkipped}) {
    for (const auto& path : checkpoint_files(checkpoints_directory(), suffix)) std::filesystem::remove(path);
  }
  for (const auto suffix : {std::string_view(), kSkipped}) std::filesystem::remove(best() + std::string(suffix));
  for (const auto& file : text_files()) std::filesystem::remove(file);
  std::filesystem::remove_all(tensorboard());
}

}  // namespace transformer
