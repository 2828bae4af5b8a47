#pragma once

#include <string>
#include <string_view>

namespace transformer {

// The three steps of the authors' script (tensor2tensor's get_ende_bleu.sh) before multi-bleu.perl: Moses'
// replace-unicode-punctuation.perl, Moses' tokenizer.perl -l de, and compound splitting as in the data of Luong et al.

/// Replaces quotes, dots and full-width punctuation by ASCII. The quotes „ and ‚ are kept, as in Moses' script.
std::string replace_unicode_punctuation(std::string_view line);

/// Separates German words by single spaces. Unlike the script, it does not escape characters as in &quot;, which
/// changes no n-gram count.
std::string tokenize_moses(std::string_view line);

/// Turns "well-known" into "well ##AT##-##AT## known". Of several hyphens with a single byte between them, it splits
/// every other one, as the script does.
std::string split_compounds(std::string_view words);

}  // namespace transformer
