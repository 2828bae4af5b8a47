#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace transformer {

/// The number of insertions, deletions, replacements and exchanges of neighbors that turn `a` into `b` (the optimal
/// string alignment distance). The time grows with the product of the lengths.
size_t edit_distance(const std::string& a, const std::string& b);

/// The edit distance if it is at most a third of the longer word's letters, so that one may be a misspelling of the
/// other; else std::nullopt.
std::optional<size_t> misspelling_distance(const std::string& a, const std::string& b);

/// The names that `word` may stand for: those that begin with it, if there are at most three; otherwise the one that it
/// may be a misspelling of. Empty if there is none.
std::vector<std::string> similar_names(const std::string& word, const std::vector<std::string>& names);

/// "'a'", "'a' or 'b'", "'a', 'b' or 'c'".
std::string alternatives(const std::vector<std::string>& names);

}  // namespace transformer
