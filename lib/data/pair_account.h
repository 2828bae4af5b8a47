#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/enum_names.h"

namespace transformer {

/// What can be wrong with a pair.
enum class PairFault { empty, too_long, length_ratio, copy, duplicate, script, invalid_utf8, held_out };

template <>
struct EnumNames<PairFault> {
  static constexpr std::array names = {"empty",     "too_long", "length_ratio", "copy",
                                       "duplicate", "script",   "invalid_utf8", "held_out"};
};

/// The pairs of a corpus with one fault.
struct FaultyPairs {
  int64_t count = 0;
  std::vector<std::string> examples = {};  // places of the first ones, such as "train.en:17"

  void add(const std::string& place);
};

/// An item for each PairFault.
class PairsByFault {
 public:
  FaultyPairs& operator[](PairFault fault) { return pairs_[static_cast<size_t>(fault)]; }
  const FaultyPairs& operator[](PairFault fault) const { return pairs_[static_cast<size_t>(fault)]; }
  int64_t total() const;

 private:
  std::array<FaultyPairs, EnumNames<PairFault>::names.size()> pairs_;
};

inline constexpr size_t kNumPairFaults = EnumNames<PairFault>::names.size();

/// The pairs of a corpus that training does not use, each under the first fault that it was dropped for, and those that
/// it uses in spite of a fault, under each of their faults.
struct PairAccount {
  PairsByFault dropped, kept;
  bool knows_all_duplicates = true;  // else the corpus has more pairs than are remembered, and at least so many

  /// The faults that occur, each in a line with its count, what is done with these pairs and the first places; empty
  /// if none occurs.
  std::string lines() const;
};

}  // namespace transformer
