#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace transformer {

/// A part of a text: its first byte and the one behind it.
struct TextRange {
  size_t begin, end;
};

/// Finds sentences by the rules of ICU (Unicode Standard Annex #29), and does not end one behind an abbreviation or a
/// single capital letter. Threads may share one.
class SentenceSplitter {
 public:
  /// `language`: a code such as "de" or "de-AT", whose abbreviations count, and whose numbers with a full stop are
  /// ordinals; empty if it is not known: the abbreviations of all languages that mean nothing else in another one.
  explicit SentenceSplitter(const std::string& language);

  /// The sentences of a line, without the blanks between them; none for a blank line.
  std::vector<TextRange> split(std::string_view line) const;

 private:
  /// Whether the text, before what is behind it, ends with an abbreviation.
  bool ends_with_abbreviation(std::string_view text, std::string_view behind) const;

  std::string language_;
};

/// Whether a code such as "de" or "de-AT" begins with one of a language in ISO 639.
bool is_language_code(const std::string& code);

/// Whether the character is of a script without spaces between words: an East Asian one but Hangul, punctuation
/// included, or one of South-East Asia.
bool is_unspaced(char32_t character);

/// What stands between two sentences, the first of which ends like this: nothing in a script without spaces between
/// words, a space in others.
std::string sentence_separator(std::string_view first);

}  // namespace transformer
