#include "evaluation/moses.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/utf8.h"
#include "evaluation/characters.h"
#include "evaluation/separate.h"

namespace transformer {
namespace {

/// Replaces the periods of an ellipsis while single periods are processed; the cleaned text does not contain it.
constexpr char32_t kEllipsisPeriod = 1;

struct Replacement {
  char32_t from;
  std::string_view to;
};
constexpr std::array kReplacements = std::to_array<Replacement>(
    {{U'，', ","}, {U'、', ","},  {U'。', ". "}, {U'．', ". "}, {U'：', ":"},  {U'∶', ":"},   {U'；', ";"},
     {U'？', "?"}, {U'！', "!"},  {U'（', "("},  {U'）', ")"},  {U'【', "["},  {U'】', "]"},  {U'〈', "<"},
     {U'〉', ">"}, {U'“', "\""},  {U'”', "\""},  {U'《', "\""}, {U'》', "\""}, {U'「', "\""}, {U'」', "\""},
     {U'’', "'"},  {U'…', "..."}, {U'━', "-"},   {U'～', "~"},  {U'％', "%"}});

/// Titles and abbreviations that end with a period, from Moses' list for German. Single letters, numerals and words
/// that contain another period are handled by separate rules.
constexpr std::string_view kAbbreviations =
    " Adj Adm Adv Art Asst BSE Bart Bldg Brig Bros Buchst Ca Capt Chr Cmdr Co Col Comdr Con Corp Cpl DR Dkr Dr Ens Gen "
    "Gov Hon Hosp Insp Lt Ltd MM MR MRS MS Maj Messrs Mio Mlle Mme Mr Mrd Mrs Ms Msgr MwSt No Nos Nr Op Ord Pfc Ph "
    "Prof Pvt Rep Reps Res Rev Rt SA Sen Sens Sfc Sgt Sr St Std Supt Surg Zt bzgl bzw ca dergl dgl etc evtl ff ggf jun "
    "pp sen sog sogen spp usf usw vgl vs zzt ";

constexpr std::string_view kRomanNumerals =
    " i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx "
    "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX ";

bool is_listed(std::string_view list, std::string_view word) {
  return list.find(' ' + std::string(word) + ' ') != std::string_view::npos;
}

/// 1 to 99; with a period they are German ordinals.
bool is_small_numeral(std::string_view word) {
  return word.size() <= 2 && word.front() >= '1' && word.front() <= '9' && word.back() >= '0' && word.back() <= '9';
}

/// Whether a period after this word does not end a sentence.
bool is_abbreviation(std::string_view word) {
  const bool is_letter = word.size() == 1 && ((word[0] >= 'a' && word[0] <= 'z') || (word[0] >= 'A' && word[0] <= 'Z'));
  return is_letter || is_small_numeral(word) || is_listed(kAbbreviations, word) || is_listed(kRomanNumerals, word);
}

/// Replaces whitespace by single spaces, and removes control characters and spaces at both ends.
std::u32string clean(std::string_view line) {
  std::u32string text;
  for (char32_t c : decode_utf8(line)) {
    if (is_white_space(c)) c = ' ';
    const bool is_surplus_space = c == ' ' && (text.empty() || text.back() == ' ');
    if (c >= ' ' && !is_surplus_space) text += c;
  }
  if (text.ends_with(U' ')) text.pop_back();
  return text;
}

bool is_special(char32_t c) {
  return !is_alphanumeric(c) && std::u32string_view(U" .'`,-").find(c) == std::u32string_view::npos;
}

/// Makes two or more periods in a row a word.
std::u32string separate_ellipses(const std::u32string& text) {
  std::u32string out;
  for (size_t i = 0; i < text.size();) {
    const size_t end = std::min(text.find_first_not_of(U'.', i), text.size());
    if (end - i > 1) {
      out += U' ' + std::u32string(end - i, kEllipsisPeriod) + U' ';
      i = end;
    } else {
      out += text[i++];
    }
  }
  return out;
}

/// Makes each comma a word, except between two numbers.
std::u32string separate_commas(std::u32string text) {
  text = separate_pairs(text, false, true,
                        [](char32_t first, char32_t second) { return !is_number(first) && second == ','; });
  text = separate_pairs(text, true, false,
                        [](char32_t first, char32_t second) { return first == ',' && !is_number(second); });
  if (text.size() > 1 && text.back() == ',' && is_number(text[text.size() - 2])) text.insert(text.size() - 1, 1, ' ');
  return text;
}

bool starts_with_lowercase(std::string_view word) { return is_lowercase(decode_utf8(word)[0]); }

bool has_period_and_letter(std::string_view word) {
  const std::u32string characters = decode_utf8(word);
  return word.find('.') != std::string_view::npos && std::any_of(characters.begin(), characters.end(), is_alphabetic);
}

/// Makes the period at the end of a word a word, except after abbreviations and before a word in lower case.
std::string separate_periods(const std::string& text) {
  const std::vector<std::string_view> words = split_at_whitespace(text);
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += ' ';
    const bool is_last = i + 1 == words.size();
    const std::string_view word = words[i], stem = word.substr(0, word.size() - 1);
    const auto keeps_period = [&] {
      return has_period_and_letter(stem) || is_abbreviation(stem) || starts_with_lowercase(words[i + 1]);
    };
    if (word.size() > 1 && word.back() == '.' && (is_last || !keeps_period())) {
      out.append(stem) += " .";
    } else {
      out += word;
    }
  }
  return out;
}

/// Perl's \s in a pattern that is matched against bytes.
bool is_ascii_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

std::string replace_unicode_punctuation(std::string_view line) {
  std::string out;
  out.reserve(line.size());
  bool drop_spaces = false;
  for (const char32_t c : decode_utf8(line)) {
    if (drop_spaces && c == ' ') continue;
    drop_spaces = c == U'。' || c == U'．';  // their replacement contains the space
    const auto found = std::find_if(kReplacements.begin(), kReplacements.end(), [&](auto& r) { return r.from == c; });
    if (found != kReplacements.end()) {
      out += found->to;
    } else if (c >= U'０' && c <= U'９') {
      out += static_cast<char>('0' + (c - U'０'));
    } else {
      out += encode_utf8({&c, 1});
    }
  }
  return out;
}

std::string tokenize_moses(std::string_view line) {
  std::u32string text = surround(clean(line), is_special);
  text = separate_commas(separate_ellipses(text));
  text = surround(text, [](char32_t c) { return c == '\''; });
  std::string words = separate_periods(encode_utf8(text));
  std::replace(words.begin(), words.end(), static_cast<char>(kEllipsisPeriod), '.');
  return words;
}

std::string split_compounds(std::string_view words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i + 2 < words.size() && words[i + 1] == '-' && !is_ascii_space(words[i]) && !is_ascii_space(words[i + 2])) {
      out += words[i];
      out += " ##AT##-##AT## ";
      out += words[i + 2];
      i += 2;
    } else {
      out += words[i];
    }
  }
  return out;
}

}  // namespace transformer
