#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace transformer {

/// A line of a document: its text, and where the next line begins.
struct DocumentLine {
  size_t begin, end, next;
  int64_t number;
};

/// The lines of a document, which end with a line feed, with or without a carriage return. The first one begins behind
/// the byte order mark.
std::vector<DocumentLine> lines_of(std::string_view text);

}  // namespace transformer
