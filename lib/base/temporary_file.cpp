#include "base/temporary_file.h"

#include <fcntl.h>

#include <cerrno>
#include <filesystem>
#include <random>
#include <string_view>

#include "base/error.h"
#include "base/system_error.h"

namespace transformer {

namespace {

constexpr std::string_view kMark = ".tmp.";
constexpr size_t kRandomLetters = 6;

std::string random_letters() {
  static constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  std::random_device source;
  std::uniform_int_distribution<size_t> index(0, kLetters.size() - 1);
  std::string letters;
  while (letters.size() < kRandomLetters) letters += kLetters[index(source)];
  return letters;
}

void remove_leftovers_beginning_with(const std::string& beginning, const std::string& directory) {
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    const size_t mark = name.rfind(kMark);
    if (mark == std::string::npos || mark + kMark.size() + kRandomLetters != name.size()) continue;
    std::error_code ignored;  // a leftover does no harm
    if (name.starts_with(beginning)) std::filesystem::remove(entry.path(), ignored);
  }
}

}  // namespace

std::FILE* open_temporary_file(const std::string& path, std::string& temporary) {
  int descriptor = -1;
  do {  // not mkstemp, which ignores the umask and gives rights to the owner only
    temporary = path + std::string(kMark) + random_letters();
    descriptor = open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EEXIST);
  if (descriptor < 0) {
    throw Error("{}: cannot be written: {}", path,
                errno == ENOENT ? "its directory does not exist; create it first" : last_system_error());
  }
  return fdopen(descriptor, "w+b");
}

void remove_leftovers(const std::string& directory) { remove_leftovers_beginning_with("", directory); }

void remove_leftovers_of(const std::string& path) {
  const std::filesystem::path file(path);
  remove_leftovers_beginning_with(file.filename().string() + std::string(kMark), file.parent_path().string());
}

}  // namespace transformer
