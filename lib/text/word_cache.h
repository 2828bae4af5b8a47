#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "text/special_tokens.h"

namespace transformer {

/// The pieces of words that were divided before, because a text repeats most of its words. Holds a bounded number of
/// short words and never forgets one, so that threads can look up words and add them at once without waiting.
class WordCache {
 public:
  WordCache();
  ~WordCache();
  WordCache(const WordCache&) = delete;
  WordCache& operator=(const WordCache&) = delete;

  /// The word's pieces, which stay where they are; null if they were not added.
  std::optional<std::span<const TokenId>> find(std::string_view word) const;
  /// Keeps the pieces of a word, unless it is long or the cache is full.
  void add(std::string_view word, std::span<const TokenId> pieces);

 private:
  struct Entry;
  using Slot = std::atomic<const Entry*>;

  /// The slot of a word, or the empty one that it would have.
  Slot& slot_of(std::string_view word, uint64_t hash) const;

  std::unique_ptr<Slot[]> slots_;  // a hash table with linear probing, a part of which is always empty
  std::atomic<size_t> num_words_ = 0;
};

}  // namespace transformer
