#include "evaluation/evalb_report.h"

#include <array>
#include <iomanip>

#include "base/format.h"
#include "base/json.h"

namespace transformer {
namespace {

std::string right(int width, int64_t value) { return concat(std::setw(width), value); }
std::string percent(double value) { return concat(std::setw(6), fixed(value, 2)); }

const char* const kRule = "============================================================================\n";

std::string format_row(size_t number, const SentenceScore& s) {
  ParseScore alone;
  alone.add(s);
  return concat(right(4, static_cast<int64_t>(number)), "  ", right(3, s.length), "    ", static_cast<int>(s.status),
                "  ", percent(alone.recall()), " ", percent(alone.precision()), "   ", right(3, s.matched), "    ",
                right(3, s.gold), "  ", right(3, s.predicted), "    ", right(3, s.crossing), "   ", right(4, s.words),
                "  ", right(4, s.correct_tags), "   ", percent(alone.tagging_accuracy()), "\n");
}

std::string format_part(const std::string& name, const ParseScore& score) {
  std::string text = concat("\n-- ", name, " --\n");
  const auto count = [&](const char* what, int64_t value) { text += concat(what, " = ", right(6, value), "\n"); };
  const auto figure = [&](const char* what, double value) { text += concat(what, " = ", percent(value), "\n"); };
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

Json json_of(const ParseScore& s) {
  return {{"sentences", s.sentences},
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
          {"tagging_accuracy", s.tagging_accuracy()},
          {"matched_brackets", s.matched},
          {"gold_brackets", s.gold},
          {"predicted_brackets", s.predicted},
          {"crossing_brackets", s.crossing},
          {"words", s.words},
          {"correct_tags", s.correct_tags}};
}

Json json_of(const SentenceScore& s) {
  static constexpr std::array kStatus = {"valid", "error", "skipped"};
  return {{"status", kStatus[static_cast<size_t>(s.status)]},
          {"length", s.length},
          {"matched_brackets", s.matched},
          {"gold_brackets", s.gold},
          {"predicted_brackets", s.predicted},
          {"crossing_brackets", s.crossing},
          {"words", s.words},
          {"correct_tags", s.correct_tags}};
}

}  // namespace

void ParseReport::add(const SentenceScore& sentence) {
  sentences.push_back(sentence);
  all.add(sentence);
  if (sentence.length <= cutoff_length) short_ones.add(sentence);
}

std::string format_sentence_table(const ParseReport& report) {
  std::string text = concat("  Sent.                        Matched  Bracket   Cross        Correct Tag\n",
                            " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy\n", kRule);
  for (size_t i = 0; i < report.sentences.size(); ++i) text += format_row(i + 1, report.sentences[i]);
  const ParseScore& all = report.all;
  return text + concat(kRule, std::string(16, ' '), percent(all.recall()), " ", percent(all.precision()), " ",
                       right(6, all.matched), " ", right(5, all.gold), " ", right(5, all.predicted), "  ",
                       right(5, all.crossing), "  ", right(5, all.words), " ", right(5, all.correct_tags), "   ",
                       percent(all.tagging_accuracy()), "\n");
}

std::string format_summary(const ParseReport& report) {
  return concat("=== Summary ===\n", format_part("All", report.all),
                format_part(concat("len<=", report.cutoff_length), report.short_ones));
}

std::string format_parse_json(const ParseReport& report, bool with_sentences) {
  Json json = {
      {"all", json_of(report.all)}, {"cutoff_length", report.cutoff_length}, {"cutoff", json_of(report.short_ones)}};
  if (with_sentences) {
    Json& sentences = json["sentences"] = Json::array();
    for (const SentenceScore& sentence : report.sentences) sentences.push_back(json_of(sentence));
  }
  return json_text(json);
}

}  // namespace transformer
