#include "data/epoch_order.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/splitmix64.h"

namespace transformer {
namespace {

int64_t positions_of(const CorpusPart& part) { return std::llround(part.weight * static_cast<double>(part.size)); }

}  // namespace

int64_t num_epoch_pairs(const std::vector<CorpusPart>& parts) {
  int64_t sum = 0;
  for (const CorpusPart& part : parts) sum += positions_of(part);
  return sum;
}

EpochOrder::EpochOrder(const std::vector<CorpusPart>& parts, uint64_t seed)
    : size_(num_epoch_pairs(parts)), shuffled_(size_, seed) {
  int64_t end = 0;
  for (const CorpusPart& part : parts) {
    end += positions_of(part);
    const auto copies = static_cast<int64_t>(std::floor(part.weight));
    const RandomPermutation drawn(part.size, splitmix64(seed ^ splitmix64(parts_.size())));
    parts_.push_back({part, end, copies * part.size, drawn});
  }
}

int64_t EpochOrder::operator()(int64_t position) const {
  const int64_t unshuffled = shuffled_(position);
  const auto part = std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return unshuffled < p.end; });
  const int64_t begin = part == parts_.begin() ? 0 : std::prev(part)->end;
  const int64_t of_part = unshuffled - begin;
  const int64_t pair =
      of_part < part->num_in_full ? of_part % part->pairs.size : part->drawn(of_part - part->num_in_full);
  return part->pairs.first + pair;
}

}  // namespace transformer
