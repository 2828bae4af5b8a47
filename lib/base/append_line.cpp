#include "base/append_line.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/system_error.h"

namespace transformer {

void append_bytes(const std::string& path, std::string_view bytes) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) throw Error("{}: cannot be written: {}", path, last_system_error());
  const bool whole = ::write(descriptor, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  const std::string why = whole ? "" : last_system_error();
  close(descriptor);
  if (!whole) throw Error("{}: cannot be written: {}", path, why);
}

void append_line(const std::string& path, const std::string& line) { append_bytes(path, line + "\n"); }

}  // namespace transformer
