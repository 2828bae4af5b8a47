#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace transformer {

/// The rules by which SentencePiece can normalize text before it divides it into pieces, under its names for them.
inline constexpr std::array<std::string_view, 5> kNormalizationRules = {"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf",
                                                                        "identity"};
inline constexpr const char* kDefaultNormalization = "nmt_nfkc";

/// Whether this is one of SentencePiece's rules; if not, it is the path of a file of rules.
inline bool is_normalization_rule(std::string_view normalization) {
  return std::find(kNormalizationRules.begin(), kNormalizationRules.end(), normalization) != kNormalizationRules.end();
}

/// Whether these rules make all letters lower-case.
inline bool folds_case(std::string_view normalization) {
  return is_normalization_rule(normalization) && normalization.ends_with("_cf");
}

/// Checks a file of normalization rules in the form that SentencePiece reads: a rule in each line, which has the
/// hexadecimal numbers of one or more characters, a tab, and the numbers of the characters that replace them, if any;
/// behind a second tab, a remark. Throws Error with the line of the first one that is none, and if the file has none or
/// cannot be read.
void check_normalization_rules(const std::string& path);

}  // namespace transformer
