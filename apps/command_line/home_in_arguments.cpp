#include "command_line/home_in_arguments.h"

#include "base/home_directory.h"

namespace transformer {

std::vector<std::string> arguments_with_home(int argc, const char* const* argv) {
  std::vector<std::string> arguments(argv, argv + argc);
  for (std::string& argument : arguments) {
    const size_t equals = argument.starts_with("--") ? argument.find('=') : std::string::npos;
    const size_t value = equals == std::string::npos ? 0 : equals + 1;
    argument = argument.substr(0, value) + expand_home(argument.substr(value));
  }
  return arguments;
}

}  // namespace transformer
