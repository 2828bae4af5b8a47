#include "training/checkpoint_writer.h"

#include <chrono>
#include <filesystem>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/log.h"

namespace transformer {
namespace {

/// Throws Error if a checkpoint of this size cannot be written into the directory.
void check_free_space(const RunDirectory& directory, int64_t bytes) {
  std::error_code unknown;
  const auto space = std::filesystem::space(directory.path(), unknown);
  if (unknown || space.available >= static_cast<uintmax_t>(bytes)) return;
  throw Error(
      "{}: a checkpoint takes {}, but only {} of disk space is free; free some space or set a smaller "
      "training.keep_checkpoints, and run the same command again to resume from the last checkpoint",
      directory.path(), human_bytes(bytes), human_bytes(static_cast<int64_t>(space.available)));
}

}  // namespace

void CheckpointWriter::begin(Checkpoint checkpoint) {
  const int64_t bytes = size_of_archive(to_archive(checkpoint));
  begin_writing(bytes, [this, checkpoint = std::move(checkpoint)] {
    const auto start = Clock::now();
    directory_.save(checkpoint, keep_);
    log_info("step {}  wrote {}  (took {})", with_thousands(checkpoint.state.step),
             directory_.checkpoint(checkpoint.state.step), human_duration(seconds_since(start)));
  });
}

void CheckpointWriter::begin_best(ModelFile model) {
  const int64_t bytes = size_of_archive(to_archive(model));
  begin_writing(bytes, [this, model = std::move(model)] {
    save_model(directory_.best(), model);
    log_info("wrote {}: the best validation so far", directory_.best());
  });
}

void CheckpointWriter::begin_writing(int64_t bytes, std::function<void()> write) {
  wait();
  check_free_space(directory_, bytes);
  writing_ = std::async(std::launch::async, std::move(write));
}

void CheckpointWriter::check() {
  if (writing_.valid() && writing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) writing_.get();
}

void CheckpointWriter::wait() {
  if (writing_.valid()) writing_.get();
}

}  // namespace transformer
