#include "text/word_cache.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <new>

namespace transformer {
namespace {

constexpr size_t kMaxWords = WordCache::kNumSlots / 2;  // about 100 MB
constexpr size_t kMaxWordBytes = 64;

uint64_t hash_of(std::string_view word) { return std::hash<std::string_view>()(word); }

}  // namespace

/// The beginning of a block of memory, in which the pieces and the word follow, so that a look-up reads few cache
/// lines.
struct WordCache::Entry {
  struct Free {
    void operator()(const Entry* entry) const { ::operator delete(const_cast<Entry*>(entry)); }
  };
  using Pointer = std::unique_ptr<const Entry, Free>;

  static Pointer make(uint64_t hash, std::string_view word, std::span<const TokenId> pieces) {
    void* block = ::operator new(sizeof(Entry) + pieces.size_bytes() + word.size());
    auto* entry = new (block) Entry{hash, static_cast<uint32_t>(pieces.size()), static_cast<uint32_t>(word.size())};
    std::copy(pieces.begin(), pieces.end(), reinterpret_cast<TokenId*>(entry + 1));
    std::copy(word.begin(), word.end(), reinterpret_cast<char*>(entry + 1) + pieces.size_bytes());
    return Pointer(entry);
  }
  std::span<const TokenId> pieces() const { return {reinterpret_cast<const TokenId*>(this + 1), num_pieces}; }
  bool has(uint64_t other_hash, std::string_view word) const {
    const std::span<const TokenId> before = pieces();
    return hash == other_hash &&
           word == std::string_view(reinterpret_cast<const char*>(before.data() + before.size()), size);
  }

  uint64_t hash;
  uint32_t num_pieces, size;
};

WordCache::WordCache() : slots_(std::make_unique<Slot[]>(kNumSlots)) {}

WordCache::~WordCache() {
  if (num_words_ == 0) return;
  for (size_t i = 0; i < kNumSlots; ++i) Entry::Free()(slots_[i].load());
}

std::pair<WordCache::Slot*, const WordCache::Entry*> WordCache::look_up(std::string_view word, uint64_t hash) const {
  for (size_t i = hash % kNumSlots;; i = (i + 1) % kNumSlots) {
    const Entry* entry = slots_[i].load(std::memory_order_acquire);
    if (entry == nullptr || entry->has(hash, word)) return {&slots_[i], entry};
  }
}

std::optional<std::span<const TokenId>> WordCache::find(std::string_view word) const {
  if (word.size() > kMaxWordBytes) return std::nullopt;
  const auto [slot, entry] = look_up(word, hash_of(word));
  if (entry == nullptr) return std::nullopt;
  return entry->pieces();
}

void WordCache::add(std::string_view word, std::span<const TokenId> pieces) {
  if (word.size() > kMaxWordBytes || num_words_.fetch_add(1) >= kMaxWords) return;
  const uint64_t hash = hash_of(word);
  auto added = Entry::make(hash, word, pieces);
  while (true) {
    const auto [slot, entry] = look_up(word, hash);
    if (entry != nullptr) return;  // another thread was faster
    const Entry* empty = nullptr;
    if (!slot->compare_exchange_strong(empty, added.get(), std::memory_order_acq_rel)) continue;
    [[maybe_unused]] const Entry* owned_by_slot = added.release();
    return;
  }
}

}  // namespace transformer
