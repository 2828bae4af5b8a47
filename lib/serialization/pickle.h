#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace transformer {

/// A tensor as a pickle describes it: a view of a storage, whose bytes are in a record of the archive. The sizes are
/// not checked against the record.
struct PickledTensor {
  std::string storage_type;  // such as "FloatStorage"
  std::string record;        // "7" for the record "data/7"
  int64_t storage_elements = 0;
  int64_t offset = 0;  // in elements
  std::vector<int64_t> sizes, strides;
};

using PickledTensors = std::vector<std::pair<std::string, PickledTensor>>;
using PickledValue = std::variant<std::string, int64_t, double, PickledTensor, PickledTensors>;
using PickledDict = std::vector<std::pair<std::string, PickledValue>>;

/// Reads a dict with string keys that `torch::jit::pickle_save` pickled: of strings, numbers, tensors and dicts of
/// tensors. Nothing else is accepted, no call but those that make tensors and dicts, and the memory in use is
/// proportional to the pickle's size. Throws DamagedFile, whose message is the reason without the name of the file.
PickledDict parse_pickle(std::string_view bytes);

}  // namespace transformer
