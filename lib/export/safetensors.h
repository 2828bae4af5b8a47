#pragma once

#include <map>
#include <string>

#include "model/model_file.h"

namespace transformer {

/// A safetensors file: named tensors, and text beside them.
struct SafeTensors {
  std::map<std::string, std::string> metadata;
  NamedTensors tensors;
};

/// Writes atomically. Throws Error.
void save_safetensors(const std::string& path, const SafeTensors& content);
/// Throws Error where the file is missing, DamagedFile where it is cut short or not of this format.
SafeTensors load_safetensors(const std::string& path);

}  // namespace transformer
