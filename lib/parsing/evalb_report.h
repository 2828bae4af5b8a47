#pragma once

#include <string>
#include <vector>

#include "parsing/evalb.h"

namespace transformer {

/// The scores of all sentences, and the sums over all sentences and over those up to the cut-off length.
struct ParseReport {
  explicit ParseReport(int64_t cutoff) : cutoff_length(cutoff) {}
  void add(const SentenceScore& sentence);

  int64_t cutoff_length;
  std::vector<SentenceScore> sentences;
  ParseScore all, up_to_cutoff;
};

/// The table of sentences and its totals, as EVALB prints them.
std::string format_sentence_table(const ParseReport& report);

/// EVALB's summary, which begins with "=== Summary ===". Table and summary together are exactly EVALB's output.
std::string format_summary(const ParseReport& report);

/// A JSON object with the keys "all", "cutoff_length" and "up_to_cutoff", and with `with_sentences` also a list
/// "sentences".
std::string format_parse_json(const ParseReport& report, bool with_sentences);

}  // namespace transformer
