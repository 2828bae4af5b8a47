#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace transformer {

/// Pairs of names that count as the same; the order within a pair does not matter.
class Equivalences {
 public:
  void add(const std::string& one, const std::string& other);
  /// Equal, or a pair. Pairs do not chain.
  bool same(const std::string& one, const std::string& other) const;

 private:
  std::set<std::pair<std::string, std::string>> pairs_;
};

/// How EVALB scores: what the directives of a parameter file (.prm) set.
struct EvalbParameters {
  int64_t max_errors = 10;     // MAX_ERROR: scoring ends with an error at this many error sentences
  int64_t cutoff_length = 40;  // CUTOFF_LEN: sentences up to this length get a summary of their own
  bool labeled = true;         // LABELED: a bracket must have the right label as well as the right words
  /// DELETE_LABEL: a word with such a tag is left out, a bracket with such a label is not counted.
  std::set<std::string> deleted;
  /// DELETE_LABEL_FOR_LENGTH: words with such a tag do not count in a sentence's length.
  std::set<std::string> deleted_for_length;
  /// QUOTE_LABEL: tags that a quotation mark may have by mistake.
  std::set<std::string> quote_tags;
  Equivalences labels, words;  // EQ_LABEL, EQ_WORD
};

/// What COLLINS.prm says, by which results on the Penn Treebank are reported.
EvalbParameters collins_parameters();

/// Reads a parameter file: a directive a line, comments begin with '#'. Throws UsageError with path:line.
EvalbParameters read_evalb_parameters(const std::string& path);

}  // namespace transformer
