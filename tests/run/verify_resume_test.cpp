#include "run/verify_resume.h"

#include "base/temporary_directory.h"
#include "catch.h"
#include "training/checkpoint.h"
#include "training/small_checkpoint.h"

namespace transformer {
namespace {

/// The archive of a checkpoint that has every entry, with tensors that can be changed.
Archive archived_checkpoint() {
  Checkpoint checkpoint = small_checkpoint(/*step=*/20, torch::arange(3.0));
  checkpoint.moving_average.insert("weight", torch::ones({3}));
  checkpoint.state.validations.best = 2.5;
  const TemporaryDirectory directory;
  const std::string path = directory / "checkpoint.pt";
  save_checkpoint(path, checkpoint);
  Archive archive = load_archive(path);
  for (auto& [name, value] : archive) {
    auto* const tensors = std::get_if<NamedTensors>(&value);
    if (tensors == nullptr) continue;
    for (const auto& entry : *tensors) entry.setValue(entry.value().clone());
  }
  return archive;
}

}  // namespace

TEST_CASE("checkpoint_differences: none between equal checkpoints, whatever time they took") {
  const Archive a = archived_checkpoint();
  Archive b = archived_checkpoint();
  b["seconds"] = b["seconds_since_log"] = 99.0;
  b["config"] = "training:\n  directory: elsewhere\n";
  CHECK(checkpoint_differences(a, b).empty());
}

TEST_CASE("checkpoint_differences: every tensor with another bit") {
  const Archive a = archived_checkpoint();
  Archive b = archived_checkpoint();
  std::get<NamedTensors>(b["parameters"]).at("weight")[1] += 0.25;
  std::get<NamedTensors>(b["optimizer"]).at("first.weight")[0] = -0.0;
  std::get<NamedTensors>(b["moving_average"]).at("weight")[2] = 1.5;
  CHECK(checkpoint_differences(a, b) == std::vector<std::string>{"moving_average/weight: largest difference 5.0e-01",
                                                                 "optimizer/first.weight: largest difference 0.0e+00",
                                                                 "parameters/weight: largest difference 2.5e-01"});
}

TEST_CASE("checkpoint_differences: a tensor that one checkpoint lacks, or that has another shape there") {
  const Archive a = archived_checkpoint();
  Archive b = archived_checkpoint();
  std::get<NamedTensors>(b["parameters"]).insert("bias", torch::ones({3}));
  CHECK(checkpoint_differences(a, b) == std::vector<std::string>{"parameters/bias: missing"});
  CHECK(checkpoint_differences(b, a) == std::vector<std::string>{"parameters/bias: missing"});
  b = archived_checkpoint();
  std::get<NamedTensors>(b["parameters"]).insert_or_assign("weight", torch::ones({2, 2}));
  CHECK(checkpoint_differences(a, b) == std::vector<std::string>{"parameters/weight: of different shapes"});
}

TEST_CASE("checkpoint_differences: every other entry, also one that is missing") {
  const Archive a = archived_checkpoint();
  for (const auto& [name, value] : a) {
    if (std::holds_alternative<NamedTensors>(value) || name == "config" || name.starts_with("seconds")) continue;
    INFO(name);
    Archive b = a, c = a;
    if (auto* integer = std::get_if<int64_t>(&b[name])) ++*integer;
    if (auto* number = std::get_if<double>(&b[name])) *number += 0.5;
    if (auto* text = std::get_if<std::string>(&b[name])) *text += "x";
    if (auto* tensor = std::get_if<torch::Tensor>(&b[name])) *tensor = *tensor + 1;
    REQUIRE(checkpoint_differences(a, b).size() == 1);
    CHECK_THAT(checkpoint_differences(a, b).front(), Catch::StartsWith(name + ": "));
    c.erase(name);
    CHECK(checkpoint_differences(a, c) == std::vector{name + ": missing"});
    CHECK(checkpoint_differences(c, a) == std::vector{name + ": missing"});
  }
}

}  // namespace transformer
