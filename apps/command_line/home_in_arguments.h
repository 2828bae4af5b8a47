#pragma once

#include <string>
#include <vector>

namespace transformer {

/// The arguments of the program, with "~/" replaced by the home directory at the beginning of an argument and of an
/// option's value ("--config=~/config.yaml"), where many shells leave it. (A config's paths are expanded when the
/// config is loaded.)
std::vector<std::string> arguments_with_home(int argc, const char* const* argv);

}  // namespace transformer
