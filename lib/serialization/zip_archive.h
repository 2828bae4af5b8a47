#pragma once

#include <set>
#include <string>

#include "serialization/archive.h"

namespace transformer {

/// Reads a model file or checkpoint of older versions: a zip archive that Python's `torch.load` reads as a dict,
/// followed by a checksum of it all. Throws Error if the file is missing; DamagedFile if it is cut short, if its
/// checksum does not fit, or if it holds anything else than such an archive. Tensors are contiguous and on the CPU. If
/// `names` are given, the other entries are left out.
Archive load_zip_archive(const std::string& path, const std::set<std::string>& names = {});

}  // namespace transformer
