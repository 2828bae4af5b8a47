#include "export/exported_model.h"

#include <filesystem>

#include "base/error.h"
#include "base/log.h"

namespace transformer {

void check_is_held(const Rules& rules, const std::string& directory, const std::string& program) {
  if (rules.broken().empty()) return;
  throw Error(
      "{}: not written, since {} has no network for this model: {}; export it as safetensors or for CTranslate2",
      directory, program, rules.broken().front().message);
}

void warn_of_other_search(const Rules& rules, const std::string& program) {
  for (const BrokenRule& rule : rules.broken()) {
    log_warning("{}, which {} does not have, so that its search may find other translations", rule.message, program);
  }
}

void check_is_empty(const std::string& directory) {
  if (!std::filesystem::exists(directory)) return;
  if (std::filesystem::is_directory(directory) && std::filesystem::is_empty(directory)) return;
  throw Error("{}: is not an empty directory; give a new one, or remove what is in it", directory);
}

}  // namespace transformer
