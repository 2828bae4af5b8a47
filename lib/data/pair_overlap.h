#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/pair_pieces.h"
#include "text/line_pairs.h"

namespace transformer {

/// Finds pairs of validation and test text that the training text or another of these texts has, too. Compares pieces,
/// which are what the model sees, so that blanks and characters that the tokenizer treats alike do not hide a copy.
class PairOverlap {
 public:
  /// The files of each text are for messages.
  explicit PairOverlap(std::vector<ParallelFiles> texts);

  /// Adds a pair of the text with this index; one with an empty side does not count. All these pairs must be added
  /// before the first training pair.
  void add_pair(size_t text, const PairPieces& pair);
  /// Returns whether one of the texts has the pair.
  bool add_training_pair(const PairPieces& pair);

  /// A warning for each text of which more than 1 % of the pairs are in the training text, and for each two texts if
  /// more than 1 % of the pairs of one are in the other.
  std::vector<std::string> warnings() const;

 private:
  struct Occurrences {
    std::vector<size_t> texts;  // of each occurrence
    bool is_in_training = false;
  };

  std::vector<ParallelFiles> texts_;
  std::vector<int64_t> num_pairs_;  // of each text
  std::unordered_map<std::string, Occurrences> occurrences_;
};

}  // namespace transformer
