#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "serialization/archive.h"

namespace transformer {

/// The content of a safetensors file: named tensors, and metadata as text.
struct SafeTensors {
  std::map<std::string, std::string> metadata;
  NamedTensors tensors;
};

/// Whether a file of this size that begins with these bytes, of which nine are enough, is probably a safetensors file.
bool is_safetensors(std::string_view beginning, uint64_t file_size);

/// Writes atomically. Throws Error.
void save_safetensors(const std::string& path, const SafeTensors& content);
/// Throws Error if the file is missing, DamagedFile if it is cut short or has another format.
SafeTensors load_safetensors(const std::string& path);
/// Reads a file's bytes; `path` is the file in messages. Throws DamagedFile as load_safetensors does.
SafeTensors read_safetensors(std::string_view bytes, const std::string& path);
/// Reads the metadata alone; throws as load_safetensors does.
std::map<std::string, std::string> load_safetensors_metadata(const std::string& path);

}  // namespace transformer
