#include "config/faults.h"

#include <fmt/core.h>

#include <map>

#include "base/error.h"

namespace transformer {

void throw_faults(const std::vector<Fault>& faults) {
  std::multimap<Location, std::string> lines;
  for (const Fault& fault : faults) {
    lines.emplace(fault.location, fmt::format("{}: {}", fault.location.text, fault.message));
  }
  if (faults.size() == 1) throw UsageError("{}", lines.begin()->second);
  std::string text = fmt::format("the config has {} errors:", faults.size());
  size_t num_shown = 0;
  for (const auto& [location, line] : lines) {
    if (++num_shown <= kMaxShownFaults) text += "\n  " + line;
  }
  if (faults.size() > kMaxShownFaults) text += fmt::format("\n  and {} more", faults.size() - kMaxShownFaults);
  throw UsageError("{}", text);
}

}  // namespace transformer
