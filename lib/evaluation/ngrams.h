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

/// Maps words to numbers: equal words have equal numbers.
class WordNumbers {
 public:
  std::vector<uint32_t> of(const std::vector<std::string_view>& words);

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> numbers_;
};

/// The n-grams up to `max_order` of a sequence of symbols (words or characters, as numbers), stored as a suffix array,
/// in which equal n-grams of every order are neighbors.
class Ngrams {
 public:
  Ngrams(std::vector<uint32_t> symbols, size_t max_order);

  size_t num_symbols() const { return symbols_.size(); }
  int64_t count(size_t order) const { return static_cast<int64_t>(std::max(symbols_.size() + 1, order) - order); }

 private:
  friend class NgramCursor;
  std::vector<uint32_t> symbols_, sorted_;  // sorted_: the positions of the suffixes, in sorted order
};

/// The number of n-grams of the hypothesis that also occur in the references. Each n-gram's count is clipped to its
/// maximum count in any one reference ("modified precision", Papineni et al., 2002, section 2.1).
int64_t count_matches(const Ngrams& hypothesis, std::span<const Ngrams> references, size_t order);

}  // namespace transformer
