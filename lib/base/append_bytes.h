#pragma once

#include <string>
#include <string_view>

namespace transformer {

/// Appends the bytes to the file, which is created if it is missing, with as few calls of write() as the system allows,
/// normally one. Throws Error.
void append_bytes(const std::string& path, std::string_view bytes);

}  // namespace transformer
