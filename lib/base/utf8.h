#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace transformer {

/// `text` with every byte that is not part of valid UTF-8 (overlong forms and surrogates included) replaced by
/// U+FFFD. The result equals `text` exactly where it was valid.
std::string replace_invalid_utf8(std::string_view text);

/// The number of bytes of the character that starts `text`, which is not empty; a byte that is not part of valid UTF-8
/// is a character of its own.
size_t character_length(std::string_view text);

/// The characters of `text`. A byte B that is not part of valid UTF-8 is U+DC00 + B, which no valid text has.
std::u32string decode_utf8(std::string_view text);

/// The text whose characters these are: encode_utf8(decode_utf8(text)) is `text`.
std::string encode_utf8(std::u32string_view characters);

}  // namespace transformer
