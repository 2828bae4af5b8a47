#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace transformer {

/// `text` with each maximal subpart of an ill-formed sequence (The Unicode Standard, section 3.9) replaced by one
/// U+FFFD, as Python's errors="replace" and ICU do. The result equals `text` if and only if `text` is valid UTF-8.
std::string replace_invalid_utf8(std::string_view text);

bool is_valid_utf8(std::string_view text);

/// The text without a byte order mark (U+FEFF) at its beginning, which some editors write at the start of a file.
std::string_view without_byte_order_mark(std::string_view text);

/// The characters of `text`. A byte B that is not part of valid UTF-8 becomes U+DC00 + B, which no valid text contains
/// (Python's errors="surrogateescape").
std::u32string decode_utf8(std::string_view text);

/// How many characters decode_utf8 finds.
size_t num_characters(std::string_view text);

/// The inverse of decode_utf8: encode_utf8(decode_utf8(text)) equals `text`.
std::string encode_utf8(std::u32string_view characters);

/// `text` if it has at most `width` characters; otherwise its beginning and an ellipsis, `width` characters together.
std::string cut_to_width(const std::string& text, size_t width);

}  // namespace transformer
