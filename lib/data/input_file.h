#pragma once

#include <string>

namespace transformer {

/// Throws Error if the file that a config's key names does not exist or is not a regular file. Since paths are relative
/// to the current directory, the message also says where above the config file the path does name a file; `config_file`
/// may be empty.
void check_input_file(const std::string& key, const std::string& path, const std::string& config_file);

}  // namespace transformer
