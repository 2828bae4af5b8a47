#pragma once

#include <cstdint>

namespace transformer {

/// Lines of a text with some property: how many, and the number of the first.
struct FoundLines {
  int64_t count = 0, first = 0;

  void add(int64_t line) {
    if (count++ == 0) first = line;
  }
};

}  // namespace transformer
