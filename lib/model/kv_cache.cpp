#include "model/kv_cache.h"

#include "ops/cached_attention.h"

namespace transformer {
namespace {

/// Stores rows [n, h, width] in a cache [capacity, h, width], which grows to `slots.capacity`.
void store_rows(torch::Tensor& cache, const NewSlots& slots, const torch::Tensor& rows) {
  if (!cache.defined() || cache.size(0) < slots.capacity) {
    auto larger = torch::empty({slots.capacity, rows.size(1), rows.size(2)}, rows.options());
    if (cache.defined()) larger.narrow(0, 0, cache.size(0)).copy_(cache);
    cache = larger;
  }
  copy_rows_to_slots(cache, slots.slots, rows);
}

}  // namespace

void KeyValueCache::store(const NewSlots& slots, const torch::Tensor& key, const torch::Tensor& value) {
  store_rows(key_, slots, key.to(type_));
  store_rows(value_, slots, value.to(type_));
}

}  // namespace transformer
