#pragma once

#include <torch/types.h>

#include <string_view>

namespace transformer {

/// The type of the elements of a storage that PyTorch's pickles call "FloatStorage" and the like. There is none for
/// truth values: no model has them, and bytes other than 0 and 1 would be invalid. Throws DamagedFile, whose message is
/// the reason, for an unknown type.
torch::ScalarType element_type(std::string_view storage_type);

}  // namespace transformer
