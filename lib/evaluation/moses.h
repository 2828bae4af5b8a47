#pragma once

#include <string>
#include <string_view>

namespace transformer {

// The three steps that the authors' script takes before it counts (tensor2tensor's get_ende_bleu.sh): Moses'
// replace-unicode-punctuation.perl, its tokenizer.perl -l de, and the compound splitting of Luong et al.'s data.

/// Quotes, dots and wide punctuation of Unicode as ASCII; „ and ‚ stay as they are.
std::string replace_unicode_punctuation(std::string_view line);

/// German words with single spaces between them. Escapes like &quot;, which are the same words by other names and
/// change no count, are left out.
std::string tokenize_moses(std::string_view line);

/// "well-known" is "well ##AT##-##AT## known". Of several hyphens with one byte between them the script splits every
/// other one, and so does this.
std::string split_compounds(std::string_view words);

}  // namespace transformer
