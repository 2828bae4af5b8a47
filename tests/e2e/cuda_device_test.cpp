#include <filesystem>

#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

namespace fs = std::filesystem;

/// Runs the program where a driver and libtransformer_cuda.so stand in for real ones, with these environment variables.
Result run_with_stand_in(const Workplace& place, const std::string& environment, const std::string& arguments) {
  const fs::path folder = fs::path(place / "with_gpu");
  fs::create_directories(folder);
  for (const auto& [target, link] :
       {std::pair{TRANSFORMER_BINARY, "transformer"},
        std::pair{STAND_IN_DIRECTORY "/libtransformer_cuda.so", "libtransformer_cuda.so"}}) {
    if (!fs::exists(folder / link)) fs::copy_file(target, folder / link);
  }
  return Process(shell("LD_LIBRARY_PATH=" STAND_IN_DIRECTORY " " + environment + " with_gpu/transformer " + arguments),
                 place / ".", "")
      .wait();
}

}  // namespace

TEST_CASE("doctor describes a GPU, or says why it cannot be used") {
  const Workplace place;
  const auto doctor = [&](const std::string& environment) {
    return run_with_stand_in(place, environment, "doctor").out;
  };
  CHECK_THAT(doctor(""),
             Catch::Contains("NVIDIA Stand-in, compute capability 9.0, 80.0 GB, of which 30.0 GB are free"));
  CHECK_THAT(
      doctor("STAND_IN_DRIVER=12040"),
      Catch::Contains("the NVIDIA driver supports CUDA 12.4, and this program needs 13.0: install a newer driver"));
  CHECK_THAT(doctor("STAND_IN_DEVICES=0"), Catch::Contains("the driver shows no CUDA device"));
}

TEST_CASE("a GPU that the program cannot use is an error that says what to do") {
  const Workplace place;
  const auto translate = [&](const std::string& environment, const std::string& device) {
    return run_with_stand_in(place, environment, "translate --model model.pt --device " + device);
  };
  check_fails(translate("STAND_IN_CAPABILITY=7", "cuda"), 2,
              {"NVIDIA Stand-in has compute capability 7.0", "needs 8.0 (A100) or newer; use --device cpu"});
  check_fails(translate("STAND_IN_DRIVER=12040", "cuda"), 2, {"supports CUDA 12.4", "install a newer driver"});
  check_fails(translate("", "cuda:1"), 2, {"--device cuda:1: this machine has 1 CUDA device"});
}

}  // namespace transformer
