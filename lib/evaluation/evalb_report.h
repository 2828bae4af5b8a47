#pragma once

#include <string>
#include <vector>

#include "evaluation/evalb.h"

namespace transformer {

/// The scores of all sentences, the sums over them and over those up to the cut-off length.
struct ParseReport {
  explicit ParseReport(int64_t cutoff) : cutoff_length(cutoff) {}
  void add(const SentenceScore& sentence);

  int64_t cutoff_length;
  std::vector<SentenceScore> sentences;
  ParseScore all, short_ones;
};

/// The table of sentences and its totals, as EVALB prints them.
std::string format_sentence_table(const ParseReport& report);

/// EVALB's summary, from "=== Summary ===" on. Both texts together are, letter by letter, what EVALB prints.
std::string format_summary(const ParseReport& report);

/// One JSON object: "all", "cutoff_length" and "cutoff", and with `with_sentences` a list "sentences".
std::string format_parse_json(const ParseReport& report, bool with_sentences);

}  // namespace transformer
