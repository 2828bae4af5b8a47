#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/data_config.h"
#include "data/pair_overlap.h"
#include "data/pair_pieces.h"
#include "data/pair_statistics.h"
#include "text/tokenizers.h"

namespace transformer {

/// Compares the training text with the validation texts and the test text, as the model sees them: pairs that are in
/// several texts, and training files that are unlike the validation text.
class HeldOutCheck {
 public:
  /// Reads the validation texts and the test text, if the config names one, which is checked (check_text), too. A test
  /// text that cannot be used is left out, with a warning, since training does not need it.
  HeldOutCheck(const DataConfig& config, const Tokenizers& tokenizers);

  /// Adds a pair of the training text; `file` is the index of its pair of files. Returns whether the validation or the
  /// test text has the pair, too.
  bool add_training_pair(size_t file, const PairPieces& pair);

  std::vector<std::string> warnings() const;

 private:
  /// A warning if one side of a validation set has other pieces than the same side of all training files, though the
  /// other sides have not; empty otherwise.
  std::string warning_of_other_language(size_t set) const;
  /// A warning if long sources have long targets in either this pair of training files or this validation set, and not
  /// in the other; empty otherwise.
  std::string warning_of_other_order(size_t file, size_t set) const;

  DataConfig config_;
  std::vector<ParallelFiles> texts_;  // the validation texts, and the test text last
  PairOverlap overlap_;
  std::vector<PairStatistics> validation_, training_;  // of each validation set and of each pair of training files
};

}  // namespace transformer
