#pragma once

#include <string>
#include <string_view>

namespace transformer {

/// `text` with every byte that is not part of valid UTF-8 (overlong forms and surrogates included) replaced by
/// U+FFFD. The result equals `text` exactly where it was valid.
std::string replace_invalid_utf8(std::string_view text);

}  // namespace transformer
