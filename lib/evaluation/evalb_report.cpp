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

std::string json_of(const ParseScore& s) {
  return concat("{\"sentences\": ", s.sentences, ", \"error_sentences\": ", s.errors,
                ", \"skipped_sentences\": ", s.skipped, ", \"valid_sentences\": ", s.valid(),
                ", \"recall\": ", json_number(s.recall()), ", \"precision\": ", json_number(s.precision()),
                ", \"f1\": ", json_number(s.f1()), ", \"complete_match\": ", json_number(s.complete_match()),
                ", \"average_crossing\": ", json_number(s.average_crossing()),
                ", \"no_crossing\": ", json_number(s.no_crossing()),
                ", \"two_or_less_crossing\": ", json_number(s.two_or_less_crossing()),
                ", \"tagging_accuracy\": ", json_number(s.tagging_accuracy()), ", \"matched_brackets\": ", s.matched,
                ", \"gold_brackets\": ", s.gold, ", \"predicted_brackets\": ", s.predicted,
                ", \"crossing_brackets\": ", s.crossing, ", \"words\": ", s.words,
                ", \"correct_tags\": ", s.correct_tags, "}");
}

std::string json_of(const SentenceScore& s) {
  static constexpr std::array kStatus = {"valid", "error", "skipped"};
  return concat("{\"status\": ", json_string(kStatus[static_cast<size_t>(s.status)]), ", \"length\": ", s.length,
                ", \"matched_brackets\": ", s.matched, ", \"gold_brackets\": ", s.gold,
                ", \"predicted_brackets\": ", s.predicted, ", \"crossing_brackets\": ", s.crossing,
                ", \"words\": ", s.words, ", \"correct_tags\": ", s.correct_tags, "}");
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
  std::string list;
  for (const SentenceScore& sentence : report.sentences) list += concat(list.empty() ? "" : ", ", json_of(sentence));
  return concat("{\"all\": ", json_of(report.all), ", \"cutoff_length\": ", report.cutoff_length,
                ", \"cutoff\": ", json_of(report.short_ones),
                with_sentences ? concat(", \"sentences\": [", list, "]") : "", "}");
}

}  // namespace transformer
