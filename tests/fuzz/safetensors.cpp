#include "serialization/safetensors.h"

#include "fuzz.h"
#include "model/model_file.h"

namespace transformer {

/// A safetensors file: the header and, after a NUL, the tensors' bytes. The size of the header is added. If it is a
/// valid file, then also the model file with the same content, which gets correct checksums.
void fuzz(std::string_view input) {
  const std::string_view header = input.substr(0, input.find('\0'));
  const std::string_view data = input.substr(std::min(header.size() + 1, input.size()));
  const uint64_t header_size = header.size();
  const std::string size(reinterpret_cast<const char*>(&header_size), sizeof(header_size));
  const InputFile file(size + std::string(header) + std::string(data));
  const SafeTensors content = load_safetensors(file.path());
  const InputFile model("");
  save_checked_safetensors(model.path(), content);
  load_model(model.path());
}

}  // namespace transformer
