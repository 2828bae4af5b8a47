#pragma once

#include <cstdio>
#include <string>

namespace transformer {

/// Creates a file named `path`.tmp.XXXXXX, where XXXXXX is random, and stores its name in `temporary`. Throws Error.
std::FILE* open_temporary_file(const std::string& path, std::string& temporary);

/// Removes the files with such names from the directory; killed programs leave them behind.
void remove_leftovers(const std::string& directory);

/// Removes the temporary files that killed programs have left of the file `path`, and not those of other files in its
/// directory, which may be in use.
void remove_leftovers_of(const std::string& path);

}  // namespace transformer
