#include "base/temporary_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "base/system_error.h"

namespace transformer {

namespace {

/// The process's umask. It is read once, because reading also sets it, for other threads too.
mode_t file_mode_mask() {
  static const mode_t mask = [] {
    const mode_t found = umask(0);
    umask(found);
    return found;
  }();
  return mask;
}

constexpr std::string_view kMark = ".tmp.";

void remove_leftovers_beginning_with(const std::string& beginning, const std::string& directory) {
  static constexpr size_t kRandomLetters = 6;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    const size_t mark = name.rfind(kMark);
    if (mark == std::string::npos || mark + kMark.size() + kRandomLetters != name.size()) continue;
    if (name.starts_with(beginning)) std::filesystem::remove(entry.path());
  }
}

}  // namespace

std::FILE* open_temporary_file(const std::string& path, std::string& temporary) {
  temporary = path + ".tmp.XXXXXX";
  const int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) {
    throw Error("{}: cannot be written: {}", path,
                errno == ENOENT ? "its directory does not exist; create it first" : last_system_error());
  }
  fchmod(descriptor, 0666 & ~file_mode_mask());  // mkstemp gives rights to the owner only
  return fdopen(descriptor, "w+b");
}

void remove_leftovers(const std::string& directory) { remove_leftovers_beginning_with("", directory); }

void remove_leftovers_of(const std::string& path) {
  const std::filesystem::path file(path);
  remove_leftovers_beginning_with(file.filename().string() + std::string(kMark), file.parent_path().string());
}

}  // namespace transformer
