#include "model/model_output.h"

#include <filesystem>
#include <system_error>

#include "base/command_files.h"
#include "base/parameter_error.h"
#include "model/run_files.h"
#include "serialization/archive.h"

namespace transformer {

void check_model_output(const std::string& output, const std::vector<std::string>& inputs) {
  check_is_not_stdout(output);
  check_replaces_no_input(output, inputs);
  if (step_of_name(output) || run_of_checkpoint(output)) {
    throw ParameterError("'output' {}: is the name or the place of a checkpoint; choose another one", output);
  }
  std::error_code unknown;
  const auto directory = std::filesystem::path(output).parent_path();
  if (!directory.empty() && !std::filesystem::is_directory(directory, unknown)) {
    throw ParameterError("'output' {}: its directory does not exist; create it first", output);
  }
  const bool has_content =
      std::filesystem::is_regular_file(output, unknown) && std::filesystem::file_size(output, unknown) > 0;
  if (has_content && !is_archive(output)) {
    throw ParameterError("'output' {}: is a file that is no model, and would be replaced; choose another one", output);
  }
}

}  // namespace transformer
