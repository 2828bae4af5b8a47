#include "model/run_files.h"

#include "catch.h"

namespace transformer {

TEST_CASE("the step in a checkpoint's name") {
  CHECK(checkpoint_name(500) == "step-00000500.safetensors");
  CHECK(checkpoint_name(1234567890) == "step-1234567890.safetensors");
  CHECK(step_of_name("run/checkpoints/step-00000500.safetensors") == 500);
  CHECK(step_of_name("step-1234567890.safetensors") == 1234567890);
  CHECK(step_of_name("run/checkpoints/step-00000500.pt") == 500);  // of an older version
  CHECK(step_of_name("step-1234567890.pt") == 1234567890);
  for (const char* other : {"step-best.pt", "step-500.pt", "step-000000500.pt", "step-00000500.pt.skipped",
                            "step--0000500.pt", "step-99999999999999999999.pt", "average.pt", "",
                            "step-500.safetensors", "step-00000500.safetensors.skipped", "step-00000500.bin"}) {
    INFO(other);
    CHECK_FALSE(step_of_name(other));
  }
}

}  // namespace transformer
