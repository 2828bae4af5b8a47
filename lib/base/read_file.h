#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>

namespace transformer {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// Throws Error if the file cannot be opened.
File open_to_read(const std::string& path);

/// Returns all bytes of the file. Throws Error if it cannot be read.
std::string read_file(const std::string& path);

/// Returns the first `count` bytes of the file, or all of a shorter one. Throws Error if it cannot be read.
std::string read_beginning(const std::string& path, size_t count);

}  // namespace transformer
