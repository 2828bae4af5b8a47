#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace transformer {

/// Decompresses a stream of deflate without a header, as zip archives have it, to `size` bytes. Throws DamagedFile,
/// whose message is the reason, if the stream is damaged or gives another number of bytes; a `size` that so few
/// compressed bytes cannot give is refused before memory is allocated.
std::string inflate_bytes(std::string_view compressed, uint64_t size);

}  // namespace transformer
