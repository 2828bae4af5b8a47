#include "settings/range.h"

#include <fmt/core.h>

#include <cmath>

namespace transformer {

bool Range::contains(double number) const {
  return (includes_least ? number >= least : number > least) && (includes_most ? number <= most : number < most);
}

std::string Range::text() const {
  if (std::isinf(most)) return fmt::format("{} {:.15g}", includes_least ? "at least" : "above", least);
  if (!includes_least)
    return fmt::format("above {:.15g} and {} {:.15g}", least, includes_most ? "at most" : "below", most);
  if (!includes_most) return fmt::format("at least {:.15g} and below {:.15g}", least, most);
  return fmt::format("from {:.15g} to {:.15g}", least, most);
}

}  // namespace transformer
