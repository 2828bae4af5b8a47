#include "model/stored_type.h"

#include "catch.h"

namespace transformer {

TEST_CASE("a matrix in int8 of which a part is missing is named with its file") {
  NamedTensors stored;
  stored.insert("output_projection.weight.int8", torch::zeros({2, 3}, torch::kChar));
  CHECK_THROWS_WITH(restore_parameters(stored, "m.safetensors"),
                    Catch::StartsWith("m.safetensors: 'output_projection.weight.int8' and '"));
}

}  // namespace transformer
