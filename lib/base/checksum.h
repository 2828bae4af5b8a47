#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace transformer {

/// CRC-32 of the bytes. A checksum over several parts passes the checksum of the parts before as `seed`.
uint32_t crc32_of(std::string_view bytes, uint32_t seed = 0);
/// CRC-32 of the file's bytes. Throws Error if it cannot be read.
uint32_t crc32_of_file(const std::string& path);

/// CRC-32C (Castagnoli) of the bytes, the checksum of TFRecord files and of the tensors of model files. Several GB a
/// second on processors that have an instruction for it, so that checking a model takes less time than reading it.
uint32_t crc32c_of(std::string_view bytes);
/// The same without that instruction.
uint32_t crc32c_by_tables(std::string_view bytes);

}  // namespace transformer
