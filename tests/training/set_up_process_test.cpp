#include "training/set_up_process.h"

#include <ATen/Context.h>

#include "catch.h"
#include "inference/loaded_model.h"
#include "tiny_model_file.h"

namespace transformer {

TEST_CASE("a GPU may round products to TF32 in a training with training.tf32, which loading a model does not change") {
  TrainingConfig config;
  config.tf32 = GENERATE(true, false);
  set_up_process(config);
  CHECK(at::globalContext().allowTF32CuBLAS() == config.tf32);
  const TinyModelFile file;
  load_for_inference(file / "model.pt", torch::kCPU);
  CHECK(at::globalContext().allowTF32CuBLAS() == config.tf32);
  set_up_process(TrainingConfig());
}

}  // namespace transformer
