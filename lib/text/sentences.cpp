#include "text/sentences.h"

#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utext.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/utf8.h"
#include "base/words.h"
#include "text/word_boundary.h"

namespace transformer {
namespace {

using Abbreviations = std::set<std::string_view>;

/// In lower case, without their last full stop. Those that end a sentence as often as not, such as "etc", are missing:
/// what follows them decides (UAX #29 ends no sentence before a small letter).
const std::map<std::string_view, Abbreviations>& abbreviations() {
  static const std::map<std::string_view, Abbreviations> kAll = {
      {"", {"dr",  "prof",   "mr",  "mrs",  "ms",  "messrs", "st",   "jr",   "sr",  "hon",  "rev",  "gen",
            "col", "capt",   "lt",  "sgt",  "cf",  "e.g",    "i.e",  "vs",   "vol", "fig",  "figs", "ed",
            "eds", "approx", "mme", "mlle", "sra", "dra",    "dott", "sig",  "ing", "dipl", "z.b",  "d.h",
            "u.a", "bzw",    "vgl", "p.ex", "nr",  "abs",    "bd",   "evtl", "ggf", "al"}},
      {"en", {"sen", "rep", "gov",  "pres", "dept", "univ", "inc", "ltd", "co",  "corp", "mt",  "ave", "jan",  "feb",
              "apr", "aug", "sept", "oct",  "nov",  "dec",  "pp",  "ch",  "sec", "eq",   "est", "maj", "brig", "cmdr"}},
      {"de", {"hr",   "fr",   "frl", "str", "tel",  "jan", "feb", "apr",  "aug",  "sept",   "okt", "nov",
              "dez",  "z",    "b",   "d",   "h",    "u",   "a",   "v",    "o",    "s",      "ca",  "inkl",
              "exkl", "zzgl", "mio", "mrd", "art",  "kap", "anm", "hrsg", "geb",  "gest",   "jh",  "jhd",
              "mag",  "stk",  "max", "min", "allg", "bes", "sog", "usw",  "insb", "einschl"}},
      {"fr", {"m",  "mm",   "mmes", "mgr", "me",   "p",    "pp",  "art", "chap", "env", "tél", "av",
              "bd", "janv", "févr", "avr", "juil", "sept", "oct", "nov", "déc",  "éd",  "ex",  "n"}},
      {"es",
       {"sr", "sres", "srta", "dña", "d", "pág", "págs", "núm", "art", "cap", "av", "avda", "ej", "p", "ud", "uds"}},
      {"it", {"sigg", "dott.ssa", "avv", "on", "art", "cap", "pag", "pagg", "n", "es", "ecc", "s"}},
      {"pt", {"sr", "sras", "srs", "exmo", "pág", "art", "cap", "av", "n", "d", "eng"}},
      {"nl", {"dhr", "mevr", "mw", "drs", "ir", "mr", "bijv", "o.a", "d.w.z", "blz", "art", "jl", "nl"}},
      {"pl", {"np", "tzn", "prof", "ul", "nr", "św", "m.in", "r", "w", "im", "godz", "inż", "mgr", "hab"}},
      {"cs", {"např", "tzv", "tj", "č", "ul", "sv", "mudr", "ing", "mgr", "rndr", "str", "hod"}},
      {"ru",
       {"г", "гг", "ул", "им", "т.е", "т.д", "т.п", "см", "рис", "стр", "тыс", "млн", "млрд", "руб", "др", "напр"}}};
  return kAll;
}

/// Languages in which "3." is "third".
const std::set<std::string_view>& languages_with_ordinals() {
  static const std::set<std::string_view> kAll = {"de", "da", "no", "nb", "nn", "fi", "et", "lv", "is",
                                                  "cs", "sk", "sl", "hr", "bs", "sr", "hu", "pl", "tr"};
  return kAll;
}

std::string_view last_word(std::string_view text) {
  const size_t blank = text.find_last_of(kBlanks);
  std::string_view word = blank == std::string_view::npos ? text : text.substr(blank + 1);
  const size_t first = word.find_first_not_of("([{\"'");
  return first == std::string_view::npos ? "" : word.substr(first);
}

int category_of(char32_t character) { return u_charType(static_cast<UChar32>(character)); }

bool is_opening(char32_t character) {
  return category_of(character) == U_START_PUNCTUATION || category_of(character) == U_INITIAL_PUNCTUATION ||
         character == U'¿' || character == U'¡';
}

}  // namespace

SentenceSplitter::SentenceSplitter(const std::string& language)
    : language_(lower_case(language.substr(0, language.find_first_of("-_")))) {}

bool SentenceSplitter::ends_with_abbreviation(std::string_view text, std::string_view behind) const {
  if (!text.ends_with('.')) return false;
  std::string word(last_word(text));
  word.pop_back();
  const std::u32string characters = decode_utf8(word);
  if (characters.size() == 1 && u_isupper(static_cast<UChar32>(characters[0])) != 0) return true;  // "J. Smith"
  const bool is_number = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
  if (is_number) return word.size() <= 2 && languages_with_ordinals().contains(language_);
  std::u32string lower = characters;
  for (char32_t& c : lower) c = static_cast<char32_t>(u_tolower(static_cast<UChar32>(c)));
  word = encode_utf8(lower);
  if (word == "no" || word == "nos") return language_ != "es" && behind[0] >= '0' && behind[0] <= '9';
  const auto own = abbreviations().find(language_);
  return abbreviations().at("").contains(word) || (own != abbreviations().end() && own->second.contains(word));
}

std::vector<TextRange> SentenceSplitter::split(std::string_view line) const {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> iterator(
      icu::BreakIterator::createSentenceInstance(icu::Locale(language_.c_str()), status));
  const std::unique_ptr<UText, UText* (*)(UText*)> text(
      utext_openUTF8(nullptr, line.data(), static_cast<int64_t>(line.size()), &status), utext_close);
  if (U_SUCCESS(status)) iterator->setText(text.get(), status);
  if (U_FAILURE(status)) throw Error("ICU cannot divide text into sentences: {}", u_errorName(status));

  std::vector<TextRange> sentences;
  size_t begin = std::min(line.find_first_not_of(kBlanks), line.size());
  for (int32_t next = iterator->next(); next != icu::BreakIterator::DONE; next = iterator->next()) {
    auto end = static_cast<size_t>(next);
    if (end <= begin) continue;
    size_t text_end = line.find_last_not_of(kBlanks, end - 1) + 1;
    // ICU leaves an opening quotation mark with the sentence before it where no space is between them.
    while (text_end > begin) {
      const char32_t last = last_character(line.substr(begin, text_end - begin));
      if (!is_opening(last) || end == line.size()) break;
      text_end = end = text_end - encode_utf8({&last, 1}).size();
    }
    if (text_end <= begin) continue;
    const std::string_view behind = line.substr(end);
    const bool is_closed_behind =
        behind.starts_with("»") && line.substr(begin, text_end - begin).find("«") != std::string_view::npos;
    if (end < line.size()) {
      const bool is_small = category_of(decode_utf8(behind.substr(0, 4)).front()) == U_LOWERCASE_LETTER;
      const bool is_abbreviation = ends_with_abbreviation(line.substr(begin, text_end - begin), behind);
      if (is_small || is_closed_behind || is_abbreviation) continue;
    }
    while (text_end > begin && is_blank(line[text_end - 1])) --text_end;
    sentences.push_back({begin, text_end});
    begin = std::min(line.find_first_not_of(kBlanks, end), line.size());
  }
  if (begin < line.size()) sentences.push_back({begin, line.find_last_not_of(kBlanks) + 1});
  return sentences;
}

bool is_language_code(const std::string& code) {
  return *icu::Locale(code.substr(0, code.find_first_of("-_")).c_str()).getISO3Language() != '\0';
}

bool is_unspaced(char32_t character) {
  const auto code = static_cast<UChar32>(character);
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(code, &status);
  const int32_t width = u_getIntPropertyValue(code, UCHAR_EAST_ASIAN_WIDTH);
  return ((width == U_EA_WIDE || width == U_EA_FULLWIDTH) && script != USCRIPT_HANGUL) || script == USCRIPT_KATAKANA ||
         script == USCRIPT_THAI || script == USCRIPT_LAO || script == USCRIPT_KHMER || script == USCRIPT_MYANMAR;
}

std::string sentence_separator(std::string_view first) {
  return first.empty() || is_unspaced(last_character(first)) ? "" : " ";
}

}  // namespace transformer
