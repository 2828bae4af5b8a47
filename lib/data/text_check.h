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
/// tabs in most lines, and many pairs with identical sides.
TextCheck check_text(const ParallelFiles& text, const PairCallback& for_each_pair = {});

/// A warning for each pair of files whose sides seem to be swapped: the words of the source are rather those of the
/// first target file of `other`, and those of the target rather those of its first source file. Compares the first
/// lines only.
std::vector<std::string> warnings_of_swapped_sides(const ParallelFiles& text, const ParallelFiles& other);

/// The pairs of validation sets that the training text has, too.
class KnownPairs {
 public:
  explicit KnownPairs(std::vector<ValidationSet> sets);

  /// Adds a pair of the validation set with this index. All validation pairs must be added before the first training
  /// pair.
  void add_validation_pair(size_t set, const std::string& source, const std::string& target);
  void add_training_pair(const std::string& source, const std::string& target);
  /// A warning for each set of which more than 1 % of the pairs are known.
  std::vector<std::string> warnings() const;

 private:
  std::vector<ValidationSet> sets_;
  std::vector<int64_t> num_pairs_, num_known_;                            // of each set
  std::unordered_map<std::string, std::vector<size_t>> sets_of_unknown_;  // the sets that have a pair
};

}  // namespace transformer
