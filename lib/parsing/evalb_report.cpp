#include "parsing/evalb_report.h"

#include <fmt/core.h>

#include "base/json.h"

namespace transformer {
namespace {

const char* const kRule = "============================================================================\n";

std::string format_row(size_t number, const SentenceScore& s) {
  return fmt::format("{:4}  {:3}    {}  {:>6.2f} {:>6.2f}   {:3}    {:3}  {:3}    {:3}   {:4}  {:4}   {:>6.2f}\n",
                     number, s.length, static_cast<int>(s.status), s.recall(), s.precision(), s.matched, s.gold,
                     s.predicted, s.crossing, s.words, s.correct_tags, s.tagging_accuracy());
}

std::string format_part(const std::string& name, const ParseScore& score) {
  std::string text = fmt::format("\n-- {} --\n", name);
  const auto count = [&](const char* what, int64_t value) { text += fmt::format("{} = {:6}\n", what, value); };
  const auto figure = [&](const char* what, double value) { text += fmt::format("{} = {:>6.2f}\n", what, value); };
  count("Number of sentence       ", score.sentences);
  count("Number of Error sentence ", score.errors);
  count("Number of Skip  sentence ", score.skipped);
  count("Number of Valid sentence ", score.valid());
  figure("Bracketing Recall        ", score.recall());
  figure("Bracketing Precision     ", score.precision());
  figure("Bracketing FMeasure      ", score.f1());
  figure("Complete match           ", score.complete_match());
  figure("Average crossing         ", score.average_crossing());
  figure("No crossing              ", score.no_crossing());
  figure("2 or less crossing       ", score.two_or_less_crossing());
  figure("Tagging accuracy         ", score.tagging_accuracy());
  return text;
}

Json with_counts(Json json, const BracketCounts& counts) {
  json.update({{"matched_brackets", counts.matched},
               {"gold_brackets", counts.gold},
               {"predicted_brackets", counts.predicted},
               {"crossing_brackets", counts.crossing},
               {"words", counts.words},
               {"correct_tags", counts.correct_tags}});
  return json;
}

Json json_of(const ParseScore& s) {
  const Json scores = {{"sentences", s.sentences},
                       {"error_sentences", s.errors},
                       {"skipped_sentences", s.skipped},
                       {"valid_sentences", s.valid()},
                       {"recall", s.recall()},
                       {"precision", s.precision()},
                       {"f1", s.f1()},
                       {"complete_match", s.complete_match()},
                       {"average_crossing", s.average_crossing()},
                       {"no_crossing", s.no_crossing()},
                       {"two_or_less_crossing", s.two_or_less_crossing()},
                       {"tagging_accuracy", s.tagging_accuracy()}};
  return with_counts(scores, s);
}

Json json_of(const SentenceScore& s) { return with_counts({{"status", name_of(s.status)}, {"length", s.length}}, s); }

}  // namespace

void ParseReport::add(const SentenceScore& sentence) {
  sentences.push_back(sentence);
  all.add(sentence);
  if (sentence.length <= cutoff_length) up_to_cutoff.add(sentence);
}

std::string format_sentence_table(const ParseReport& report) {
  std::string text = fmt::format(
      "  Sent.                        Matched  Bracket   Cross        Correct Tag\n"
      " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy\n"
      "{}",
      kRule);
  for (size_t i = 0; i < report.sentences.size(); ++i) text += format_row(i + 1, report.sentences[i]);
  const ParseScore& all = report.all;
  return text + fmt::format("{}{:16}{:>6.2f} {:>6.2f} {:6} {:5} {:5}  {:5}  {:5} {:5}   {:>6.2f}\n", kRule, "",
                            all.recall(), all.precision(), all.matched, all.gold, all.predicted, all.crossing,
                            all.words, all.correct_tags, all.tagging_accuracy());
}

std::string format_summary(const ParseReport& report) {
  return fmt::format("=== Summary ===\n{}{}", format_part("All", report.all),
                     format_part(fmt::format("len<={}", report.cutoff_length), report.up_to_cutoff));
}

std::string format_parse_json(const ParseReport& report, bool with_sentences) {
  Json json = {{"all", json_of(report.all)},
               {"cutoff_length", report.cutoff_length},
               {"up_to_cutoff", json_of(report.up_to_cutoff)}};
  if (with_sentences) {
    Json& sentences = json["sentences"] = Json::array();
    for (const SentenceScore& sentence : report.sentences) sentences.push_back(json_of(sentence));
  }
  return json_text(json);
}

}  // namespace transformer
