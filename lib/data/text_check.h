#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/data_config.h"

namespace transformer {

struct TextCheck {
  int64_t num_pairs = 0;
  std::vector<std::string> warnings;
};

/// Reads a text to its end before it is used. Throws Error if it cannot be read or is empty, if a file has more lines
/// than its counterpart, or if more than 1 % of a file's lines are not UTF-8 or have a NUL byte, as UTF-16 has. Warns
/// about what is probably a mistake: fewer lines that are not UTF-8, tabs in most lines, and many pairs with identical
/// sides.
TextCheck check_text(const ParallelFiles& text);

/// A warning for each pair of files whose sides seem to be swapped: the words of the source are rather those of the
/// first target file of `other`, and those of the target rather those of its first source file. Compares the first
/// lines only.
std::vector<std::string> warnings_of_swapped_sides(const ParallelFiles& text, const ParallelFiles& other);

/// A warning for each validation set of which more than 1 % of the pairs are in the training text, too. Reads the
/// training text once.
std::vector<std::string> warnings_of_known_pairs(const std::vector<ValidationSet>& sets,
                                                 const ParallelFiles& training_text);

}  // namespace transformer
