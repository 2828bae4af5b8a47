#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/data_config.h"

namespace transformer {

using PairCallback = std::function<void(const std::string& source, const std::string& target)>;

struct TextCheck {
  int64_t num_pairs = 0;
  std::vector<std::string> warnings;
};

/// Reads a text to its end before it is used, and calls `for_each_pair`, if given, with each pair. Throws Error if it
/// cannot be read or is empty, if a file has more lines than its counterpart, or if more than 1 % of a file's lines are
/// not UTF-8 or have a NUL byte, as UTF-16 has. Warns about what is probably a mistake: fewer lines that are not UTF-8,
/// tabs in most lines, lines with different numbers of columns, lines that are split into subwords already, and many
/// pairs with identical sides.
TextCheck check_text(const std::vector<ParallelFiles>& text, const PairCallback& for_each_pair = {});

/// A warning for each pair of files whose sides seem to be swapped: more of the source's words occur only in the first
/// target file of the training text than only in its first source file, and the other way round for the target.
/// Compares the first lines only. None if every training text has a tag, since tags may choose the direction of the
/// translation, and then both sides have both languages.
std::vector<std::string> warnings_of_swapped_sides(const std::vector<ParallelFiles>& text,
                                                   const std::vector<TrainingCorpus>& training_text);

/// Counts the pairs of each validation set that the training text has, too, without those with a blank side.
class ValidationOverlap {
 public:
  /// Source lines of the validation text may begin with the tags of the training corpora.
  explicit ValidationOverlap(std::vector<ValidationSet> sets, const std::vector<TrainingCorpus>& training_text = {});

  /// Adds a pair of the validation set with this index. All validation pairs must be added before the first training
  /// pair.
  void add_validation_pair(size_t set, const std::string& source, const std::string& target);
  void add_training_pair(const std::string& source, const std::string& target);
  /// A warning for each set of which more than 1 % of the pairs are in the training text.
  std::vector<std::string> warnings() const;

 private:
  std::vector<ValidationSet> sets_;
  std::vector<std::string> tags_;
  std::vector<int64_t> num_pairs_, num_overlapping_;  // of each set
  /// The validation pairs that have not been found in the training text, and the sets that have each.
  std::unordered_map<std::string, std::vector<size_t>> sets_by_pair_;
};

}  // namespace transformer
