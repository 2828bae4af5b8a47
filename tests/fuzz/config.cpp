#include "base/error.h"
#include "config/config_files.h"
#include "config/stored_config.h"
#include "fuzz.h"
#include "inference/inference_config.h"

namespace transformer {

/// A config as text, or an argument of --set after the word "--set".
void fuzz(std::string_view input) {
  static constexpr std::string_view kOverride = "--set ";
  if (input.starts_with(kOverride)) {
    Settings settings;
    apply_overrides({std::string(input.substr(kOverride.size()))}, settings);
    return;
  }
  try {  // as a model file has it; the rest of the test is about the whole config
    read_inference_config(std::string(input), "model.pt");
  } catch (const Error&) {
  }
  const std::string text = dump_config(parse_stored_config(std::string(input), "config.yaml"));
  try {
    require(dump_config(parse_stored_config(text, "dumped.yaml")) == text);
  } catch (const Error&) {
    require(false);  // the program must be able to read what it has written
  }
}

}  // namespace transformer
