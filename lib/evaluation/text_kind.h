#pragma once

#include <string>
#include <vector>

#include "evaluation/tokenization.h"

namespace transformer {

/// Whether at least 100 lines end in " .": such text was probably not detokenized, and its BLEU is not comparable with
/// other figures.
bool looks_tokenized(const std::vector<std::string>& hypotheses);

/// Whether less than one in 50 bytes of the text, of at least 1,000 bytes, is a space, although its words are not those
/// of a list with one in each line: its lines have 50 bytes on average, or its script has no spaces between words, as
/// those of Chinese and Japanese.
bool has_few_spaces(const std::vector<std::string>& lines);

/// Whether a line has four words, the length of BLEU's longest n-grams. Otherwise BLEU is 0 even if every translation
/// is right, unless it has the effective order.
bool has_four_words(const std::vector<std::string>& lines, const WordTokenizer& tokenize);

/// Logs a warning about reference lines with few spaces whose words BLEU would count. `remedy` names the setting that
/// chooses zh or char: "give --tokenize". Returns whether it has warned.
bool warn_of_few_spaces(const std::string& file, const std::vector<std::string>& lines, Tokenization tokenization,
                        const std::string& remedy);

}  // namespace transformer
