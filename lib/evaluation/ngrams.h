#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace transformer {

/// Numbers for words: equal words have equal numbers.
class WordNumbers {
 public:
  std::vector<uint32_t> of(const std::vector<std::string_view>& words);

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> numbers_;
};

/// The n-grams of a sequence of symbols (words or characters, as numbers) up to some order: its suffixes, sorted, so
/// that equal n-grams of any order stand side by side.
class Ngrams {
 public:
  Ngrams(std::vector<uint32_t> symbols, size_t max_order);

  size_t num_symbols() const { return symbols_.size(); }
  int64_t count(size_t order) const { return static_cast<int64_t>(std::max(symbols_.size() + 1, order) - order); }

 private:
  friend class NgramCursor;
  std::vector<uint32_t> symbols_, sorted_;  // where the suffixes begin
};

/// How many n-grams of the hypothesis the references have too. "Modified precision" clips the count of each to the most
/// that any one reference has of it (Papineni et al., 2002, section 2.1).
int64_t count_matches(const Ngrams& hypothesis, std::span<const Ngrams> references, size_t order);

}  // namespace transformer
