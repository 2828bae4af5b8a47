#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "data/data_config.h"

namespace transformer {

/// What a text is for, which warnings tell.
enum class TextUse { training, evaluation };

struct TextCheck {
  int64_t num_pairs = 0;
  std::vector<std::string> warnings;
};

/// Reads a text to its end, or `max_lines` of each file, before it is used. Throws Error if it cannot be read or is
/// empty, if a file has more lines than its counterpart, if line n of both are different segments of test sets, or if
/// more than 1 % of a file's lines are not UTF-8 or have a NUL byte, as UTF-16 has. Warns about what is probably a
/// mistake: fewer lines that are not UTF-8, tabs in most lines, lines with different numbers of columns, lines that are
/// split into subwords already, and many pairs with identical sides.
TextCheck check_text(const std::vector<ParallelFiles>& text, TextUse use = TextUse::training,
                     int64_t max_lines = std::numeric_limits<int64_t>::max());

/// Checks the training text, of which `max_lines` of each file are read, and each validation set with check_text, and
/// logs its warnings, those of swapped sides and those of validation lines without the tags of the training text.
/// Returns the number of pairs of each text, the training text first.
std::vector<int64_t> check_training_texts(const DataConfig& config,
                                          int64_t max_lines = std::numeric_limits<int64_t>::max());

/// A warning for each pair of files whose sides seem to be in another order than those of the first training files:
/// more of the source's words occur only in the first target file of the training text than only in its first source
/// file, and the other way round for the target. Which of the two are the wrong way round is not known.
/// Compares the first lines only. Tags of the config or in the text, such as ">>de<<", may choose the direction of the
/// translation, so that both sides have both languages: there is no warning if every training text has a tag, none for
/// files with other tags than the first ones, and none for files in the direction of such training files.
std::vector<std::string> warnings_of_swapped_sides(const std::vector<ParallelFiles>& text,
                                                   const std::vector<TrainingCorpus>& training_text);

}  // namespace transformer
