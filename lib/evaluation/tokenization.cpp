#include "evaluation/tokenization.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/read_file.h"
#include "base/utf8.h"
#include "evaluation/characters.h"
#include "evaluation/moses.h"
#include "evaluation/separate.h"
#include "text/tokenizer.h"

namespace transformer {
namespace {

// The functions for 13a process bytes, whereas its regular expressions process code points. The results are the same:
// the patterns contain only ASCII characters, and no byte of a longer UTF-8 character is one of these.

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_period_or_comma(char c) { return c == '.' || c == ','; }

/// The space and ASCII punctuation except the apostrophe, the comma, the hyphen and the period.
bool is_ascii_symbol(char c) {
  return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

/// Python's str.replace: replaces from left to right and does not search the inserted text.
void replace_all(std::string& text, std::string_view from, std::string_view to) {
  size_t found = text.find(from);
  if (found == std::string::npos) return;
  std::string out;
  size_t begin = 0;
  for (; found != std::string::npos; found = text.find(from, begin)) {
    out.append(text, begin, found - begin).append(to);
    begin = found + from.size();
  }
  out.append(text, begin);
  text = std::move(out);
}

/// Replaces each run of whitespace by a single space, and removes whitespace at both ends.
std::string with_single_spaces(std::string_view words) {
  std::string out;
  out.reserve(words.size());
  for (const std::string_view word : split_at_whitespace(words)) {
    if (!out.empty()) out += ' ';
    out += word;
  }
  return out;
}

/// Puts the characters back for which XML has names.
void replace_entities(std::string& text) {
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");  // before the next two, so that "&amp;lt;" becomes "<"
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
}

/// Separates periods and commas, except between digits, and dashes after digits.
std::string separate_periods_and_dashes(std::string text) {
  text = separate_pairs(text, false, true,
                        [](char first, char second) { return !is_digit(first) && is_period_or_comma(second); });
  text = separate_pairs(text, true, false,
                        [](char first, char second) { return is_period_or_comma(first) && !is_digit(second); });
  text = separate_pairs(text, false, true, [](char first, char second) { return is_digit(first) && second == '-'; });
  return with_single_spaces(text);
}

/// Separates Western punctuation; common to 13a and zh.
std::string separate_western_punctuation(const std::string& text) {
  return separate_periods_and_dashes(surround(text, is_ascii_symbol));
}

struct CharacterRange {
  char32_t first, last;
};

template <size_t kCount>
bool is_in(const std::array<CharacterRange, kCount>& ranges, char32_t character) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const CharacterRange& range) { return character >= range.first && character <= range.last; });
}

/// The blocks that sacreBLEU's zh treats as Chinese. The first two ranges are meant to be U+20000-U+2A6D6 and
/// U+2F800-U+2FA1D, but sacreBLEU's notation makes Python read them as here, so that they also contain the dashes and
/// quotes of all languages.
bool is_chinese(char32_t character) {
  static constexpr std::array kRanges = std::to_array<CharacterRange>({{0x2001, 0x2A6D},
                                                                       {0x2F81, 0x2FA1},
                                                                       {0x2E80, 0x2EFF},
                                                                       {0x2F00, 0x2FDF},
                                                                       {0x2FF0, 0x2FFF},
                                                                       {0x3000, 0x303F},
                                                                       {0x3100, 0x312F},
                                                                       {0x31A0, 0x31BF},
                                                                       {0x31C0, 0x31EF},
                                                                       {0x3200, 0x33FF},
                                                                       {0x3400, 0x4DB5},
                                                                       {0x4E00, 0x9FBB},
                                                                       {0xF900, 0xFA2D},
                                                                       {0xFA30, 0xFA6A},
                                                                       {0xFA70, 0xFAD9},
                                                                       {0xFE10, 0xFE1F},
                                                                       {0xFE30, 0xFE4F},
                                                                       {0xFF00, 0xFFEF}});
  return is_in(kRanges, character);
}

/// Equal to sacreBLEU's Tokenizer13a for valid UTF-8; other bytes count as letters.
std::string tokenize_13a(std::string_view line) {
  // The spaces at both ends are neighbors for the patterns of two characters.
  std::string text = fmt::format(" {} ", line);
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  replace_entities(text);
  return separate_western_punctuation(text);
}

/// The punctuation of Chinese and Japanese that TER's tokenization separates or removes.
bool is_asian_punctuation(char32_t character) {
  static constexpr std::array kRanges = std::to_array<CharacterRange>({{0x3001, 0x3002},
                                                                       {0x3008, 0x3011},
                                                                       {0x3014, 0x301F},
                                                                       {0x30FB, 0x30FB},
                                                                       {0xFF01, 0xFF02},
                                                                       {0xFF08, 0xFF09},
                                                                       {0xFF0C, 0xFF0C},
                                                                       {0xFF0E, 0xFF0E},
                                                                       {0xFF1A, 0xFF1B},
                                                                       {0xFF1F, 0xFF1F},
                                                                       {0xFF61, 0xFF65}});
  return is_in(kRanges, character);
}

/// The characters each of which is a word for TER: those of Chinese, but no kana, whatever stands beside them.
bool is_ideograph(char32_t character) {
  static constexpr std::array kRanges = std::to_array<CharacterRange>(
      {{0x2E80, 0x2EFF}, {0x31C0, 0x31EF}, {0x3200, 0x4DBF}, {0x4E00, 0x9FFF}, {0xF900, 0xFAFF}, {0xFE30, 0xFE4F}});
  return is_in(kRanges, character);
}

/// Separates Western punctuation, and 's from words.
std::string normalize_for_ter(std::string_view line) {
  std::string text = fmt::format(" {} ", line);
  replace_entities(text);
  text = surround(text, is_ascii_symbol);
  replace_all(text, "'s ", " 's ");
  return separate_periods_and_dashes(std::move(text));
}

/// Separates punctuation, except between digits, and symbols, both as defined by Unicode.
std::string tokenize_intl(std::string_view line) {
  std::u32string text = decode_utf8(line);
  text = separate_pairs(text, false, true,
                        [](char32_t first, char32_t second) { return !is_number(first) && is_punctuation(second); });
  text = separate_pairs(text, true, false,
                        [](char32_t first, char32_t second) { return is_punctuation(first) && !is_number(second); });
  return with_single_spaces(encode_utf8(surround(text, is_symbol)));
}

std::string tokenize_zh(std::string_view line) {
  return separate_western_punctuation(encode_utf8(surround(decode_utf8(strip_whitespace(line)), is_chinese)));
}

std::string tokenize_characters(std::string_view line) {
  std::u32string words;
  for (const char32_t character : decode_utf8(line)) (words += character) += U' ';
  return encode_utf8(words);
}

}  // namespace

WordTokenizer::WordTokenizer(Tokenization tokenization, const std::string& model) : tokenization_(tokenization) {
  if (needs_model(tokenization)) pieces_ = std::make_shared<const Tokenizer>(read_file(model), model);
}

std::string WordTokenizer::operator()(std::string_view line) const {
  switch (tokenization_) {
    case Tokenization::mteval_13a:
      return tokenize_13a(line);
    case Tokenization::intl:
      return tokenize_intl(line);
    case Tokenization::zh:
      return tokenize_zh(line);
    case Tokenization::character:
      return tokenize_characters(line);
    case Tokenization::none:
      return std::string(line);
    case Tokenization::flores101:
    case Tokenization::flores200:
    case Tokenization::spbleu_1k:
    case Tokenization::spm:
      return fmt::format("{}", fmt::join(pieces_->encode_as_pieces(line), " "));
    case Tokenization::paper:
      return split_compounds(tokenize_moses(replace_unicode_punctuation(line)));
  }
  return {};
}

std::string tokenize_tercom(const TercomOptions& options, std::string_view line) {
  std::string text = options.case_sensitive ? std::string(line) : to_lower(line);
  if (options.normalized) {
    text = normalize_for_ter(text);
    if (options.asian_support) {
      text = encode_utf8(surround(decode_utf8(text), [](char32_t character) {
        return is_ideograph(character) || is_asian_punctuation(character);
      }));
    }
  }
  if (options.no_punctuation) {
    static constexpr std::string_view kRemoved = ".,?:;!\"()";
    std::erase_if(text, [](char c) { return kRemoved.find(c) != std::string_view::npos; });
    if (options.asian_support) {
      std::u32string characters = decode_utf8(text);
      std::erase_if(characters, is_asian_punctuation);
      text = encode_utf8(characters);
    }
  }
  return text;
}

}  // namespace transformer
