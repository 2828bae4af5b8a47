#include "base/similar_names.h"

#include <algorithm>
#include <iterator>

#include "base/format.h"

namespace transformer {

size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> table(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      size_t& least = table[i][j];
      least = std::max(i, j);
      if (i == 0 || j == 0) continue;
      const size_t replaced = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      least = std::min({replaced, table[i - 1][j] + 1, table[i][j - 1] + 1});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) least = std::min(least, table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

std::optional<size_t> misspelling_distance(const std::string& a, const std::string& b) {
  const size_t shorter = std::min(a.size(), b.size()), limit = std::max(a.size(), b.size()) / 3;
  if (shorter + limit < std::max(a.size(), b.size())) return std::nullopt;  // also keeps long words from taking long
  const size_t distance = edit_distance(a, b);
  return distance <= limit ? std::optional(distance) : std::nullopt;
}

std::vector<std::string> similar_names(const std::string& word, const std::vector<std::string>& names) {
  static constexpr size_t kMaxContinuations = 3;
  if (word.empty()) return {};
  std::vector<std::string> longer;
  std::copy_if(names.begin(), names.end(), std::back_inserter(longer),
               [&](const std::string& name) { return name.starts_with(word); });
  if (!longer.empty() && longer.size() <= kMaxContinuations) return longer;

  std::optional<size_t> least;
  std::vector<std::string> nearest;
  for (const std::string& name : names) {
    const auto distance = misspelling_distance(word, name);
    if (!distance || (least && *distance >= *least)) continue;
    least = distance;
    nearest = {name};
  }
  return nearest;
}

std::string alternatives(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back("'" + name + "'");
  return enumeration(quoted, "or");
}

}  // namespace transformer
