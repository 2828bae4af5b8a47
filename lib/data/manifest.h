#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace transformer {

/// What the manifest of prepared files says, in a form that is compared without the order of keys.
struct Manifest {
  nlohmann::json inputs;                // what the files were made from
  std::vector<nlohmann::json> outputs;  // name, size and checksum of each file
};

/// Throws Error if the file cannot be read, and DamagedFile if it is not a manifest.
Manifest read_manifest(const std::string& path);

}  // namespace transformer
