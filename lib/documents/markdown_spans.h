#pragma once

#include <md4c.h>

#include <cstddef>
#include <string_view>

namespace transformer {

/// The size of what opens a span of Markdown at the end of `before`, such as "**" or "["; 0 if nothing does.
size_t opening_size(std::string_view before, MD_SPANTYPE type);

/// The size of what closes a span of Markdown at the beginning of `behind`, such as "**" or "](address)"; 0 if nothing
/// does.
size_t closing_size(std::string_view behind, MD_SPANTYPE type);

}  // namespace transformer
