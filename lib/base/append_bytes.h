#pragma once

#include <string>
#include <string_view>

namespace transformer {

/// Appends the bytes to the file in a single write call; creates the file if it is missing. Throws Error.
void append_bytes(const std::string& path, std::string_view bytes);

}  // namespace transformer
