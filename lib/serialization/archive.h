#pragma once

#include <torch/types.h>

#include <map>
#include <set>
#include <string>
#include <variant>

namespace transformer {

using NamedTensors = c10::Dict<std::string, torch::Tensor>;

/// The tensor of this name. Throws Error if there is none or if its shape is not `sizes`; the message calls it `kind`,
/// such as "parameter", and names the file `path`.
torch::Tensor find_tensor(const NamedTensors& tensors, const char* kind, const std::string& name,
                          torch::IntArrayRef sizes, const std::string& path);

/// The content of a model file or checkpoint. On disk it is a safetensors file with checksums: texts are metadata, the
/// numbers together are one of them, "state", as a JSON object, and a group of tensors has its name before theirs,
/// except the parameters: "optimizer/first.NAME", "NAME". Single tensors occur only in files of older versions.
using ArchiveValue = std::variant<std::string, int64_t, double, torch::Tensor, NamedTensors>;
using Archive = std::map<std::string, ArchiveValue>;

/// The group of tensors whose names on disk are their own.
constexpr const char* kParameters = "parameters";

/// Whether the file is an archive, perhaps a damaged one, of this version of the program or of older ones. Throws
/// Error if it cannot be read.
bool is_archive(const std::string& path);

/// Writes atomically. Throws Error.
void save_archive(const std::string& path, const Archive& archive);
/// The bytes of the file that save_archive writes.
int64_t size_of_archive(const Archive& archive);

/// Throws Error if the file is missing; DamagedFile if it is cut short, if a checksum does not fit, or if it holds
/// anything else than an archive that this program wrote. A file is data of unknown origin, even with correct
/// checksums: all sizes in it are checked before memory is allocated. Tensors are contiguous, on the CPU and read-only:
/// their elements may be those of the file, which is mapped into memory. If `names` are given, the other entries are
/// left out, and their tensors are not even checked.
Archive load_archive(const std::string& path, const std::set<std::string>& names = {});

/// The entry of this name, for each T of ArchiveValue. Throws Error if there is none, and DamagedFile if it is of
/// another type; `path` is the file in the message.
template <class T>
const T& archive_entry(const Archive& archive, const std::string& name, const std::string& path);

}  // namespace transformer
