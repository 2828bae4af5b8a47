#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "documents/document.h"

namespace transformer {

/// The translation of a segment of Markdown with the segment's markup at these places. Blanks keep apart what would
/// merge, such as two code spans, and what would be text beside a letter, such as "**" between a letter and a mark.
/// Emphasis that encloses words in the segment and nothing in the translation is left out; a link of this kind keeps
/// the segment's words.
std::string with_markdown(const Segment& segment, std::string_view translation, const std::vector<size_t>& places,
                          Escape escape);

}  // namespace transformer
