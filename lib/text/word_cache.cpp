#include "text/word_cache.h"

#include <functional>
#include <utility>

namespace transformer {
namespace {

// About 100 MB if the cache is full.
constexpr size_t kNumSlots = size_t{1} << 20, kMaxWords = kNumSlots / 2;
constexpr size_t kMaxWordBytes = 64;

size_t hash_of(std::string_view word) { return std::hash<std::string_view>()(word); }

}  // namespace

struct WordCache::Entry {
  size_t hash;
  std::string word;
  std::vector<TokenId> pieces;
};

WordCache::WordCache() : slots_(std::make_unique<Slot[]>(kNumSlots)) {}

WordCache::~WordCache() {
  if (num_words_ == 0) return;
  for (size_t i = 0; i < kNumSlots; ++i) delete slots_[i].load();
}

WordCache::Slot& WordCache::slot_of(std::string_view word, size_t hash) const {
  for (size_t i = hash % kNumSlots;; i = (i + 1) % kNumSlots) {
    const Entry* entry = slots_[i].load(std::memory_order_acquire);
    if (entry == nullptr || (entry->hash == hash && entry->word == word)) return slots_[i];
  }
}

const std::vector<TokenId>* WordCache::find(std::string_view word) const {
  if (word.size() > kMaxWordBytes) return nullptr;
  const Entry* entry = slot_of(word, hash_of(word)).load(std::memory_order_acquire);
  return entry == nullptr ? nullptr : &entry->pieces;
}

void WordCache::add(std::string_view word, const std::vector<TokenId>& pieces) {
  if (word.size() > kMaxWordBytes || num_words_.fetch_add(1) >= kMaxWords) return;
  const size_t hash = hash_of(word);
  auto entry = std::make_unique<const Entry>(Entry{hash, std::string(word), pieces});
  while (true) {
    Slot& slot = slot_of(word, hash);
    const Entry* found = nullptr;
    if (slot.compare_exchange_strong(found, entry.get(), std::memory_order_acq_rel)) {
      [[maybe_unused]] const Entry* owned_by_slot = entry.release();
      return;
    }
    if (found->hash == hash && found->word == word) return;  // another thread was faster
  }
}

}  // namespace transformer
