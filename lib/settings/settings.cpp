#include "settings/settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/format.h"

namespace transformer {
namespace {

bool is_doubtful(const std::string& key, const std::vector<Fault>& faults) {
  return std::any_of(faults.begin(), faults.end(), [&](const Fault& fault) {
    const auto& keys = fault.doubtful_keys;
    return keys.empty() || std::find(keys.begin(), keys.end(), key) != keys.end();
  });
}

/// The place of the first of the keys that is given; the whole file if none is.
Location location_of(const std::vector<std::string>& keys, const Settings& settings) {
  for (const std::string& key : keys) {
    const auto setting = settings.values.find(key);
    if (setting != settings.values.end()) return setting->second.location;
  }
  return {settings.files.front()};
}

}  // namespace

void throw_faults(const std::vector<Fault>& faults) {
  if (faults.empty()) return;
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

void throw_faults_of_stored(const std::vector<Fault>& faults, const std::string& program) {
  try {
    throw_faults(faults);
  } catch (const UsageError& misfit) {
    throw DamagedFile("{}; use the version of this program that wrote it{}, or an undamaged copy", misfit.what(),
                      program.empty() ? "" : fmt::format(" ({})", shown_value(program)));
  }
}

std::vector<std::pair<std::string, Setting>> Settings::take_unknown(const std::vector<Field>& fields) {
  std::set<std::string> names;
  for (const Field& field : fields) names.insert(field.name);
  std::vector<std::pair<std::string, Setting>> unknown;
  for (auto value = values.begin(); value != values.end();) {
    if (names.contains(value->first)) {
      ++value;
    } else {
      unknown.emplace_back(value->first, std::move(value->second));
      value = values.erase(value);
    }
  }
  std::sort(unknown.begin(), unknown.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second.location, a.first) < std::tie(b.second.location, b.first);
  });
  return unknown;
}

void Settings::apply_to(const std::vector<Field>& fields) {
  for (const Field& field : fields) {
    const auto given = values.find(field.name);
    if (given == values.end()) continue;
    try {
      field.set(given->second.value);
    } catch (const Error& misfit) {
      faults.push_back({given->second.location, misfit.what(), {field.name}});
    }
  }
}

void Settings::add_faults(const std::vector<BrokenRule>& rules) {
  std::vector<Fault> broken;
  for (const BrokenRule& rule : rules) {
    const bool is_known = std::none_of(rule.keys.begin(), rule.keys.end(),
                                       [&](const std::string& key) { return is_doubtful(key, faults); });
    if (is_known) broken.push_back({location_of(rule.keys, *this), rule.message, rule.keys});
  }
  faults.insert(faults.end(), broken.begin(), broken.end());
}

}  // namespace transformer
