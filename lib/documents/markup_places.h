#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "documents/document.h"

namespace transformer {

/// The index of what closes or opens the same pair, for each markup of a segment; none for what belongs to no pair.
std::vector<std::optional<size_t>> partners_of(const std::vector<InlineMarkup>& markup);

/// Where each markup of a segment stands in its translation, in ascending order. A line break stands at the blank that
/// it replaces, or at the translation's end if there is none left. A pair that encloses words of the segment encloses
/// one of the translation if there are enough, and pairs in each other may share one.
std::vector<size_t> places_of_markup(const Segment& segment, std::string_view translation,
                                     const std::vector<MatchingPositions>& positions);

/// Whether there is a word in a text: a letter or digit.
bool has_letter_or_digit(std::string_view text);

}  // namespace transformer
