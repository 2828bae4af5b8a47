#include "base/system_error.h"

#include <cstring>

namespace transformer {

std::string system_error_text(int code) {
  switch (code) {
    case ENOENT:
      return "there is no such file; check the path";
    case EACCES:
      return "permission denied; check the permissions of the file and of its directory";
    case ENOTDIR:
      return "a part of the path is a file, not a directory; check the path";
    case EISDIR:
      return "it is a directory; give the path of a file";
    case ENAMETOOLONG:
      return "the name is too long for the file system; choose a shorter one";
    case ELOOP:
      return "its symbolic links refer to each other; give another path, or remove the links";
    case EROFS:
      return "the file system is read-only; choose another place";
    case ENOSPC:
      return "the disk is full; free some space and run the same command again";
    case EDQUOT:
      return "the disk quota is used up; free some space and run the same command again";
    case EFBIG:
      return "the file would be larger than the system allows (ulimit -f, or a full disk)";
    default:
      return std::strerror(code);
  }
}

std::string last_system_error() { return system_error_text(errno); }

Error read_error(const std::string& path, int code) {
  return Error("{}: cannot be read: {}", path, system_error_text(code));
}

Error write_error(const std::string& path) { return Error("{}: cannot be written: {}", path, last_system_error()); }

}  // namespace transformer
