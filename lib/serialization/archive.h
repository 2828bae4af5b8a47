#pragma once

#include <torch/types.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>

namespace transformer {

using NamedTensors = c10::Dict<std::string, torch::Tensor>;

/// The tensor of this name. Throws Error if there is none or if its shape is not `sizes`; the message calls it `kind`,
/// such as "parameter", and names the file `path`.
torch::Tensor find_tensor(const NamedTensors& tensors, const char* kind, const std::string& name,
                          torch::IntArrayRef sizes, const std::string& path);

/// The content of a model file or checkpoint. On disk it is a zip archive that Python's `torch.load` reads as a dict,
/// followed by a checksum of it all.
using ArchiveValue = std::variant<std::string, int64_t, double, torch::Tensor, NamedTensors>;
using Archive = std::map<std::string, ArchiveValue>;

/// Whether a file that begins with these bytes, of which four are enough, is probably an archive.
bool is_archive(std::string_view beginning);

/// Writes atomically. Throws Error.
void save_archive(const std::string& path, const Archive& archive);

/// Throws Error if the file is missing; DamagedFile if it is cut short, if its checksum does not fit, or if it holds
/// anything else than an archive that `save_archive` wrote. A file is data of unknown origin, even with a correct
/// checksum: all sizes in it are checked before memory is allocated. Tensors are contiguous and on the CPU. If `names`
/// are given, the other entries are left out.
Archive load_archive(const std::string& path, const std::set<std::string>& names = {});

/// The entry of this name, for each T of ArchiveValue. Throws Error if there is none, and DamagedFile if it is of
/// another type; `path` is the file in the message.
template <class T>
const T& archive_entry(const Archive& archive, const std::string& name, const std::string& path);

}  // namespace transformer
