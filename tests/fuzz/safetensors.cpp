#include "serialization/safetensors.h"

#include "fuzz.h"

namespace transformer {

/// A safetensors file: the header and, after a NUL, the tensors' bytes. The size of the header is added.
void fuzz(std::string_view input) {
  const std::string_view header = input.substr(0, input.find('\0'));
  const std::string_view data = input.substr(std::min(header.size() + 1, input.size()));
  const uint64_t header_size = header.size();
  const std::string size(reinterpret_cast<const char*>(&header_size), sizeof(header_size));
  load_safetensors(InputFile(size + std::string(header) + std::string(data)).path());
}

}  // namespace transformer
