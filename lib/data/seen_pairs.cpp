#include "data/seen_pairs.h"

#include <algorithm>
#include <utility>

#include "base/splitmix64.h"

namespace transformer {

bool SeenPairs::add(uint64_t hash) {
  hash = std::max<uint64_t>(hash, 1);
  uint64_t* slot = &slot_of(hash);
  if (*slot == hash) return true;
  if (num_pairs_ == max_pairs_) {
    has_forgotten_ = true;
    return false;
  }
  if (4 * (num_pairs_ + 1) > 3 * table_.size()) {
    grow();
    slot = &slot_of(hash);
  }
  *slot = hash;
  ++num_pairs_;
  return false;
}

uint64_t& SeenPairs::slot_of(uint64_t hash) {
  size_t slot = splitmix64(hash) % table_.size();
  while (table_[slot] != 0 && table_[slot] != hash) slot = (slot + 1) % table_.size();
  return table_[slot];
}

void SeenPairs::grow() {
  const std::vector<uint64_t> older = std::exchange(table_, std::vector<uint64_t>(2 * table_.size()));
  for (const uint64_t hash : older) {
    if (hash != 0) slot_of(hash) = hash;
  }
}

}  // namespace transformer
