#pragma once

namespace transformer {

/// Gives each of stdin, stdout and stderr that is closed when the program starts a file, from or to which reading or
/// writing fails as before (but /dev/stdin, opened anew, is an empty file). Otherwise the next file that is opened
/// would get its number, and log messages would be written into that file.
void occupy_standard_descriptors();

}  // namespace transformer
