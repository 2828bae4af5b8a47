#include "system/version.h"

#include <torch/version.h>

#include "base/build_info.h"
#include "catch.h"

namespace transformer {

TEST_CASE("the version of LibTorch names that of the build where it is another one") {
  CHECK(torch_version_of("Build settings: TORCH_VERSION=2.12.0, USE_CUDA=OFF, \n") == "2.12.0");
  CHECK(torch_version_of("Build settings: BLAS_INFO=mkl") == "");
  CHECK(torch_version_text(TORCH_VERSION) == TORCH_VERSION);
  CHECK(torch_version_text("") == TORCH_VERSION);
  CHECK(torch_version_text("1.0.0") == std::string("1.0.0, built with ") + TORCH_VERSION);
  CHECK(version_line() ==
        std::string("transformer ") + kBuildInfo.version + " (" + kBuildInfo.commit + "), libtorch " TORCH_VERSION);
}

}  // namespace transformer
