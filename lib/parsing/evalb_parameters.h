#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace transformer {

/// Pairs of names that count as equal; the order within a pair does not matter.
class Equivalences {
 public:
  void add(const std::string& one, const std::string& other);
  /// Whether the names are equal or form a pair. The relation is not transitive.
  bool same(const std::string& one, const std::string& other) const;

 private:
  std::set<std::pair<std::string, std::string>> pairs_;
};

/// The options that the directives of an EVALB parameter file (.prm) set.
struct EvalbParameters {
  /// MAX_ERROR: scoring fails at error sentence number max_errors + 2, because EVALB compares before it counts.
  int64_t max_errors = 10;
  int64_t cutoff_length = 40;  // CUTOFF_LEN: sentences up to this length have a separate summary
  bool labeled = true;         // LABELED: whether a matching bracket must have the same label
  /// DELETE_LABEL: words with these tags are removed, and brackets with these labels, or with labels that EQ_LABEL
  /// declares equal to them, do not count.
  std::set<std::string> deleted;
  /// DELETE_LABEL_FOR_LENGTH: words with these tags do not count in the length of a sentence.
  std::set<std::string> deleted_for_length;
  /// QUOTE_LABEL: tags that the words ', " and / are sometimes given by mistake.
  std::set<std::string> quote_tags;
  Equivalences labels, words;  // EQ_LABEL, EQ_WORD
};

/// The parameters of COLLINS.prm, with which results on the Penn Treebank are reported.
EvalbParameters collins_parameters();

/// Reads a parameter file with one directive per line, where comments begin with '#'. A byte order mark at the
/// beginning of the file is ignored. Throws UsageError with path:line.
EvalbParameters read_evalb_parameters(const std::string& path);

}  // namespace transformer
