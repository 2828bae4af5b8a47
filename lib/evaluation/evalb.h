#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluation/evalb_parameters.h"
#include "trees/tree.h"

namespace transformer {

/// How a predicted sentence compares with the gold one.
struct SentenceScore {
  enum class Status { valid, error, skipped };  // EVALB writes 0, 1, 2
  Status status = Status::valid;
  int64_t length = 0;                            // words of the gold sentence
  int64_t matched = 0, gold = 0, predicted = 0;  // brackets
  int64_t crossing = 0;                          // predicted brackets that cross a gold one
  int64_t words = 0, correct_tags = 0;
  std::string complaint;  // of an error sentence: what does not fit
};

/// Labelled bracketing as EVALB counts it (§6.3, Deviation D21). A sentence whose words are not the gold one's is an
/// error, one without predicted words is skipped; neither has counts.
SentenceScore score_sentence(const std::vector<Tree>& gold, const std::vector<Tree>& predicted,
                             const EvalbParameters& parameters);

/// Sums over sentences, and the figures that follow from them; a figure without anything to count is 0.
struct ParseScore {
  int64_t sentences = 0, errors = 0, skipped = 0;
  int64_t matched = 0, gold = 0, predicted = 0, crossing = 0, words = 0, correct_tags = 0;  // of valid sentences
  int64_t complete = 0, without_crossing = 0, with_two_crossing_at_most = 0;                // valid sentences

  void add(const SentenceScore& sentence);

  int64_t valid() const { return sentences - errors - skipped; }
  // In percent.
  double recall() const;
  double precision() const;
  double f1() const;
  double complete_match() const;
  double no_crossing() const;
  double two_or_less_crossing() const;
  double tagging_accuracy() const;
  /// Brackets in a sentence.
  double average_crossing() const;
};

}  // namespace transformer
