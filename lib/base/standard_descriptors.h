#pragma once

namespace transformer {

/// Opens a placeholder for each of stdin, stdout and stderr that is closed when the program starts. Otherwise the next
/// file that is opened would get its number, and log messages would be written into that file. Reading from a
/// placeholder or writing to it fails, as with a closed stream (but /dev/stdin, opened anew, is an empty file).
void occupy_standard_descriptors();

}  // namespace transformer
