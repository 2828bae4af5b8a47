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
/// about what is probably a mistake: fewer lines that are not UTF-8, tabs in most lines, lines with different numbers
/// of columns, lines that are split into subwords already, and many pairs with identical sides.
TextCheck check_text(const std::vector<ParallelFiles>& text);

/// A warning for each pair of files whose sides seem to be in another order than those of the first training files:
/// more of the source's words occur only in the first target file of the training text than only in its first source
/// file, and the other way round for the target. Which of the two are the wrong way round is not known.
/// Compares the first lines only. None if every training text has a tag, since tags may choose the direction of the
/// translation, and then both sides have both languages.
std::vector<std::string> warnings_of_swapped_sides(const std::vector<ParallelFiles>& text,
                                                   const std::vector<TrainingCorpus>& training_text);

}  // namespace transformer
