#include "training/run_directory.h"

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "training/small_checkpoint.h"

namespace transformer {
namespace {

Checkpoint checkpoint_of(int64_t step) { return small_checkpoint(step, torch::full({2}, static_cast<double>(step))); }

std::vector<std::string> names_of(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const auto& path : paths) names.push_back(std::filesystem::path(path).filename());
  return names;
}

}  // namespace

TEST_CASE("run directory: only files with a checkpoint's name are checkpoints, and no other file is removed") {
  const TemporaryDirectory place;
  const RunDirectory directory(place / "run");
  const auto lock = directory.lock();
  for (const int64_t step : {80, 90, 100}) directory.save(checkpoint_of(step), /*keep=*/5);
  std::filesystem::copy_file(directory.checkpoint(80), place / "run/checkpoints/step-best.safetensors");
  std::filesystem::create_directory(place / "run/checkpoints/step-00000700.safetensors");
  CHECK(names_of(directory.checkpoints()) == std::vector<std::string>{"step-00000080.safetensors",
                                                                      "step-00000090.safetensors",
                                                                      "step-00000100.safetensors"});
  CHECK(directory.newest_checkpoint()->state.step == 100);

  directory.save(checkpoint_of(110), /*keep=*/2);
  directory.clear();
  CHECK(directory.checkpoints().empty());
  CHECK(std::filesystem::exists(place / "run/checkpoints/step-best.safetensors"));
  CHECK(std::filesystem::exists(place / "run/checkpoints/step-00000700.safetensors"));
}

TEST_CASE("run directory: a checkpoint with the name of another step is skipped and set aside") {
  const TemporaryDirectory place;
  const RunDirectory directory(place / "run");
  const auto lock = directory.lock();
  directory.save(checkpoint_of(80), /*keep=*/5);
  directory.save(checkpoint_of(100), /*keep=*/5);
  std::filesystem::copy_file(directory.checkpoint(80), directory.checkpoint(500));
  CHECK_THROWS_WITH(load_checkpoint(directory.checkpoint(500)),
                    Catch::Contains("step-00000500.safetensors: holds step 80, which is not the step in its name"));
  CHECK(directory.newest_checkpoint()->state.step == 100);
  directory.save(checkpoint_of(110), /*keep=*/5);
  CHECK(names_of(directory.checkpoints()).back() == "step-00000110.safetensors");
  CHECK(std::filesystem::exists(directory.checkpoint(500) + ".skipped"));
}

TEST_CASE("run directory: pruning keeps the newest checkpoints until a step and sets later ones aside") {
  const TemporaryDirectory place;
  const RunDirectory directory(place / "run");
  const auto lock = directory.lock();
  for (const int64_t step : {10, 20, 30, 40}) directory.save(checkpoint_of(step), /*keep=*/5);
  directory.prune(30, /*keep=*/2);
  CHECK(names_of(directory.checkpoints()) ==
        std::vector<std::string>{"step-00000020.safetensors", "step-00000030.safetensors"});
  CHECK(std::filesystem::exists(directory.checkpoint(40) + ".skipped"));
  std::ofstream(directory.metrics() + ".damaged") << "{";
  std::ofstream(directory.checkpoint(40) + ".copy") << "";
  directory.clear();
  CHECK_FALSE(std::filesystem::exists(directory.checkpoint(40) + ".skipped"));
  CHECK_FALSE(std::filesystem::exists(directory.metrics() + ".damaged"));
  CHECK(std::filesystem::exists(directory.checkpoint(40) + ".copy"));
}

TEST_CASE("run directory: steps are ordered by number where their digits differ") {
  const TemporaryDirectory place;
  const RunDirectory directory(place / "run");
  const auto lock = directory.lock();
  for (const int64_t step : {99999999, 100000000}) directory.save(checkpoint_of(step), /*keep=*/5);
  CHECK(directory.newest_checkpoint()->state.step == 100000000);
}

}  // namespace transformer
