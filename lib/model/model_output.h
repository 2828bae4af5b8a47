#pragma once

#include <string>
#include <vector>

namespace transformer {

/// For commands that write a model file: throws UsageError if the output is "-", in a directory that does not exist,
/// one of the inputs, a file with the name of a checkpoint or in a run's directory of checkpoints, or a file with
/// content that is no model.
void check_model_output(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace transformer
