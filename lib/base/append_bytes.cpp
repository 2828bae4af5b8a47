#include "base/append_bytes.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/system_error.h"

namespace transformer {

void append_bytes(const std::string& path, std::string_view bytes) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) throw write_error(path);
  while (!bytes.empty()) {  // once, unless a disk fills up or a signal comes in between
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      const Error failure = write_error(path);
      close(descriptor);
      throw failure;
    }
  }
  if (close(descriptor) != 0 && errno != EINTR) throw write_error(path);
}

}  // namespace transformer
