#pragma once

#include <string>

namespace transformer {

/// The directory of the configs that come with the program: `configs` in the repository, for a program in build/NAME,
/// or in PREFIX/share/transformer, for one that is installed in PREFIX/bin. Empty if there is none.
std::string program_configs();

/// The program's config of a path that begins with `configs/`; empty if there is none.
std::string find_program_config(const std::string& path);

/// The config file that `path` names. This is `path` itself if it exists. Otherwise, a relative path below `configs/`
/// is looked for among the configs that come with the program; if it is not there either, the result is `path`.
std::string find_config(const std::string& path);

}  // namespace transformer
