#pragma once

#include <string>

namespace transformer {

/// The model file that is meant by `--model PATH` or `training.init_from`: the file itself; of a run directory its
/// averaged.safetensors, or else its newest checkpoint, or else checkpoints/best.safetensors; of a directory that
/// `export` wrote its model.safetensors. Throws Error with what to give instead if the directory has none of them, or
/// if the file is text, a config, a vocabulary or a safetensors file without checksums.
std::string find_model(const std::string& path);

/// Returns what find_model returns, and logs which file of a run directory that is.
std::string find_and_log_model(const std::string& path);

}  // namespace transformer
