#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace transformer {

/// The bytes as text: base64 of RFC 4648, with padding.
std::string base64_of(std::string_view bytes);

/// The bytes that base64_of wrote as this text; std::nullopt if it is no such text.
std::optional<std::string> bytes_of_base64(std::string_view text);

}  // namespace transformer
