#pragma once

#include <torch/nn/module.h>

#include <string>

#include "serialization/archive.h"

namespace transformer {

/// Gives a module that is to be packed the parameters that to_stored_type made, without copying the matrices. If these
/// are in int8, the module can only be packed in int8. Throws as for_each_parameter does.
void adopt_stored_parameters(torch::nn::Module& module, const NamedTensors& stored, const std::string& path);

}  // namespace transformer
