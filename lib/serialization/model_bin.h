#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "serialization/archive.h"

namespace transformer {

/// The content of `model.bin`, in which CTranslate2 stores a model.
struct ModelBin {
  std::string spec;        // "TransformerSpec"; "" in the first version of the format
  uint32_t revision = 1;   // of the specification
  NamedTensors variables;  // an alias is another name of the same tensor; a setting is a tensor of rank 0
};

/// Whether a file that begins with these bytes is probably a `model.bin`.
bool is_model_bin(std::string_view beginning);

/// Reads the bytes of a `model.bin` of versions 1 to 6 of the format. Throws DamagedFile, whose message is the reason
/// without the name of the file.
ModelBin read_model_bin(std::string_view bytes);

}  // namespace transformer
