#include "training/checkpoint_writer.h"

#include <chrono>
#include <filesystem>

#include "base/clock.h"
#include "base/error.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "training/small_checkpoint.h"

namespace transformer {

TEST_CASE("checkpoint writer: checkpoints are written in turn, and the oldest are removed") {
  const TemporaryDirectory place;
  const RunDirectory directory(place / "run");
  const auto lock = directory.lock();
  CheckpointWriter writer(directory, /*keep=*/2);
  for (const int64_t step : {1, 2, 3}) writer.begin(small_checkpoint(step, torch::full({2}, step)));
  writer.wait();
  CHECK(directory.checkpoints() == std::vector<std::string>{directory.checkpoint(2), directory.checkpoint(3)});
  CHECK(load_checkpoint(directory.checkpoint(3)).model.parameters.at("weight").equal(torch::full({2}, 3)));
}

TEST_CASE("checkpoint writer: a failure is reported once, by check, wait or the next begin") {
  const TemporaryDirectory place;
  const RunDirectory directory(place / "run");
  const auto lock = directory.lock();
  CheckpointWriter writer(directory, /*keep=*/2);
  std::filesystem::remove_all(place / "run/checkpoints");
  const Checkpoint checkpoint = small_checkpoint(1, torch::zeros({2}));
  writer.begin(checkpoint);
  CHECK_THROWS_AS(writer.wait(), Error);
  writer.wait();
  writer.begin(checkpoint);
  CHECK_THROWS_AS(writer.begin(checkpoint), Error);
  writer.begin(checkpoint);
  const auto check_until_ready = [&] {
    for (const auto limit = Clock::now() + std::chrono::seconds(10); Clock::now() < limit;) writer.check();
  };
  CHECK_THROWS_AS(check_until_ready(), Error);
  writer.check();
}

TEST_CASE("checkpoint writer: a checkpoint larger than the free space is refused before it is written") {
  const TemporaryDirectory place;
  const RunDirectory directory(place / "run");
  const auto lock = directory.lock();
  CheckpointWriter writer(directory, /*keep=*/2);
  const auto exabyte = torch::zeros({1}).expand({int64_t{1} << 58});
  CHECK_THROWS_WITH(writer.begin(small_checkpoint(1, exabyte)),
                    Catch::Contains("run: a checkpoint takes ") && Catch::Contains("of disk space is free"));
  CHECK(directory.checkpoints().empty());
}

TEST_CASE("checkpoint writer: the size that is compared with the free space is that of the file") {
  const TemporaryDirectory place;
  const Checkpoint checkpoint = small_checkpoint(1, torch::zeros({3, 5}).t());
  save_checkpoint(place / "file", checkpoint);
  CHECK(size_of_archive(to_archive(checkpoint)) == static_cast<int64_t>(std::filesystem::file_size(place / "file")));
  save_model(place / "model", checkpoint.model);
  CHECK(size_of_archive(to_archive(checkpoint.model)) ==
        static_cast<int64_t>(std::filesystem::file_size(place / "model")));
}

}  // namespace transformer
