#pragma once

#include <torch/nn/module.h>

#include <string>

#include "serialization/archive.h"

namespace transformer {

/// Makes the tensors of to_stored_type the module's parameters, without copying the matrices. Call `pack` next, which
/// must be in int8 if they are. Throws as for_each_parameter does.
void adopt_stored_parameters(torch::nn::Module& module, const NamedTensors& stored, const std::string& path);

}  // namespace transformer
