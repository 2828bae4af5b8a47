#include "base/system_error.h"

#include <cerrno>
#include <cstring>

namespace transformer {

std::string last_system_error() {
  switch (errno) {
    case ENOENT:
      return "there is no such file; check the path";
    case EACCES:
      return "permission denied; check the file's permissions";
    case ENOSPC:
      return "the disk is full; free some space and run the same command again";
    case EDQUOT:
      return "the disk quota is used up; free some space and run the same command again";
    case EFBIG:
      return "the file would be larger than the system allows (ulimit -f, or a full disk)";
    default:
      return std::strerror(errno);
  }
}

}  // namespace transformer
