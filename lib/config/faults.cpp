#include "config/faults.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"

namespace transformer {

void throw_faults(std::vector<Fault> faults) {
  std::stable_sort(faults.begin(), faults.end(),
                   [](const Fault& one, const Fault& other) { return one.location < other.location; });
  const auto shown = [](const Fault& fault) { return fmt::format("{}: {}", fault.location.text, fault.message); };
  if (faults.size() == 1) throw UsageError("{}", shown(faults[0]));
  std::string text = fmt::format("the config has {} errors:", faults.size());
  for (size_t i = 0; i < std::min(kMaxShownFaults, faults.size()); ++i) text += "\n  " + shown(faults[i]);
  if (faults.size() > kMaxShownFaults) text += fmt::format("\n  and {} more", faults.size() - kMaxShownFaults);
  throw UsageError("{}", text);
}

}  // namespace transformer
