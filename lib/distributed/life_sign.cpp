#include "distributed/life_sign.h"

#include <optional>
#include <sstream>

#include "base/format.h"

namespace transformer {
namespace {

/// Nothing where the rank has not come yet.
std::optional<LifeSign> read_life_sign(c10d::Store& store, int rank) {
  if (!store.check({life_key(rank)})) return std::nullopt;
  LifeSign sign;
  std::istringstream in(store.get_to_str(life_key(rank)));
  (in >> sign.number).ignore();
  std::getline(std::getline(in, sign.host), sign.what);
  in >> sign.waits_for_others >> sign.waits;
  return sign;
}

}  // namespace

std::string life_key(int rank) { return concat("life/", rank); }

void write_life_sign(c10d::Store& store, int rank, const LifeSign& sign) {
  store.set(life_key(rank),
            concat(sign.number, '\n', sign.host, '\n', sign.what, '\n', sign.waits_for_others, ' ', sign.waits));
}

std::string describe_rank(c10d::Store& store, int rank, int size) {
  const auto sign = read_life_sign(store, rank);
  if (!sign) return concat("rank ", rank, " of ", size, ": ");
  return concat("rank ", rank, " of ", size, " on ", sign->host, ", in ", sign->what, ": ");
}

int rank_waited_for(c10d::Store& store, int rank, int size) {
  const auto own = read_life_sign(store, rank);
  if (!own || !own->waits_for_others) return rank;
  int last = rank;
  int64_t fewest = own->waits;
  for (int other = 0; other < size; ++other) {
    const auto sign = read_life_sign(store, other);
    if (!sign) return other;
    if (sign->waits >= fewest) continue;
    fewest = sign->waits;
    last = other;
  }
  return last;
}

}  // namespace transformer
