#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "serialization/archive.h"

namespace transformer {

/// The content of a safetensors file: named tensors, and metadata as text.
struct SafeTensors {
  std::map<std::string, std::string> metadata;
  NamedTensors tensors;
};

/// Whether a file of this size that begins with these bytes, of which nine are enough, is probably a safetensors file.
bool is_safetensors(std::string_view beginning, uint64_t file_size);

/// Whether metadata of this key are a checksum, and whether a file with these metadata has checksums: of the header and
/// of each tensor, so that damage is found wherever it is.
bool is_checksum(const std::string& key);
bool has_checksums(const std::map<std::string, std::string>& metadata);

/// Whether a file that begins with these bytes, of which kCheckedBeginning are enough, is one that
/// save_checked_safetensors wrote.
bool begins_as_checked(std::string_view beginning);
inline constexpr size_t kCheckedBeginning = 64;

/// Writes atomically, without checksums. Throws Error.
void save_safetensors(const std::string& path, const SafeTensors& content);
/// Writes atomically, with checksums. Throws Error.
void save_checked_safetensors(const std::string& path, const SafeTensors& content);
/// The bytes of the file that save_checked_safetensors writes.
size_t size_of_checked_safetensors(const SafeTensors& content);

/// Throws Error if the file is missing, DamagedFile if it is cut short, has another format, or has checksums of which
/// one does not fit. The metadata are returned without the checksums.
SafeTensors load_safetensors(const std::string& path);
/// Reads a file's bytes, which must outlive the tensors: these must not be written to, and their elements are those
/// bytes unless they are not aligned there. `path` is the file in messages. Throws DamagedFile as load_safetensors
/// does.
SafeTensors view_safetensors(std::string_view bytes, const std::string& path);
/// Reads the metadata alone, with the checksums, which are not compared; throws as load_safetensors does.
std::map<std::string, std::string> load_safetensors_metadata(const std::string& path);

/// A safetensors file with checksums, mapped into memory.
class MappedSafetensors {
 public:
  /// Checks the header. Throws Error if the file is missing, DamagedFile if it is cut short, has another format, has no
  /// checksums, or if that of the header does not fit.
  explicit MappedSafetensors(const std::string& path);

  const std::map<std::string, std::string>& metadata() const;
  const std::vector<std::string>& names() const;
  /// The tensor with names()[index], which must not be written to: its elements are those of the file, unless they are
  /// not aligned there. It may outlive this object. Throws DamagedFile if its checksum does not fit.
  torch::Tensor tensor(size_t index) const;

 private:
  struct File;
  std::shared_ptr<const File> file_;
};

}  // namespace transformer
