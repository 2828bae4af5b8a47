#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace transformer {

/// What the manifest of prepared files says, in a form that is compared without the order of keys.
struct Manifest {
  nlohmann::json inputs;                // what the files were made from
  std::vector<nlohmann::json> outputs;  // name, size and checksum of each file
  std::vector<int64_t> pairs_of_files;  // how many pairs of the training corpus are from each pair of text files
};

/// Throws Error if the file cannot be read, and DamagedFile if it is not a manifest.
Manifest read_manifest(const std::string& path);

}  // namespace transformer
