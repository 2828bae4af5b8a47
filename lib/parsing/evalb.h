#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "parsing/evalb_parameters.h"
#include "trees/tree.h"

namespace transformer {

/// Counts of brackets and tags in valid sentences, and the scores computed from them, in percent. A score whose
/// denominator is 0 is 0.
struct BracketCounts {
  int64_t matched = 0, gold = 0, predicted = 0;  // brackets
  int64_t crossing = 0;                          // predicted brackets that cross a gold one
  int64_t words = 0, correct_tags = 0;

  BracketCounts& operator+=(const BracketCounts& other);
  double recall() const;
  double precision() const;
  double f1() const;
  double tagging_accuracy() const;
};

/// The comparison of a predicted sentence with the gold one.
struct SentenceScore : BracketCounts {
  enum class Status { valid, error, skipped };  // EVALB prints 0, 1, 2
  Status status = Status::valid;
  int64_t length = 0;     // words of the gold sentence
  std::string complaint;  // for status `error`: how the words differ
};

template <>
struct EnumNames<SentenceScore::Status> {
  static constexpr std::array names = {"valid", "error", "skipped"};
};

/// Labeled bracketing as computed by EVALB (§6.3, Deviation D21). A sentence whose words differ from the gold words is
/// an error, and one without predicted words is skipped; the counts of both are 0.
SentenceScore score_sentence(const std::vector<Tree>& gold, const std::vector<Tree>& predicted,
                             const EvalbParameters& parameters);

/// Sums over sentences.
struct ParseScore : BracketCounts {
  int64_t sentences = 0, errors = 0, skipped = 0;
  int64_t complete = 0, without_crossing = 0, with_two_crossing_at_most = 0;  // valid sentences

  void add(const SentenceScore& sentence);

  int64_t valid() const { return sentences - errors - skipped; }
  // In percent of the valid sentences; 0 if there are none.
  double complete_match() const;
  double no_crossing() const;
  double two_or_less_crossing() const;
  /// Crossing brackets per valid sentence; 0 if there are none.
  double average_crossing() const;
};

}  // namespace transformer
