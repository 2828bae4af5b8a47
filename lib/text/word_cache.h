#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "text/special_tokens.h"

namespace transformer {

/// The pieces of words that were divided before, because a text repeats most of its words. Holds a bounded number of
/// short words and never forgets one, so that threads can look up words and add them at once without waiting.
class WordCache {
 public:
  static constexpr size_t kNumSlots = size_t{1} << 20;  // of the hash table; a word's std::hash tells its first one

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

  /// The slot of a word and its entry; or the slot that was empty when the word was looked up, and null. Another thread
  /// may fill that slot at any time, also with another word.
  std::pair<Slot*, const Entry*> look_up(std::string_view word, uint64_t hash) const;

  std::unique_ptr<Slot[]> slots_;  // a hash table with linear probing, a part of which is always empty
  std::atomic<size_t> num_words_ = 0;
};

}  // namespace transformer
