#include "run/standard_streams.h"

#include <algorithm>

#include "base/error.h"

namespace transformer {

void check_single_stream(const std::vector<std::string>& paths, const std::string& stream) {
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    throw UsageError("'-' is given for more than one file, but there is only one {}; name the other files", stream);
  }
}

}  // namespace transformer
