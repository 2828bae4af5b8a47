#include "serving/routes.h"

#include <fmt/core.h>

#include "base/format.h"

namespace transformer {

void Routes::add(const std::string& path, const std::string& method) { routes_.emplace_back(path, method); }

bool Routes::contains(const std::string& path, const std::string& method) const {
  return method_of(path) == (method == "HEAD" ? "GET" : method);
}

std::optional<std::string> Routes::method_of(const std::string& path) const {
  for (const auto& [known, method] : routes_) {
    if (known == path) return method;
  }
  return std::nullopt;
}

std::string Routes::describe_unknown(const std::string& path, const std::string& method) const {
  if (const auto known = method_of(path)) return fmt::format("{} takes {}, not {}", path, *known, shown_value(method));
  std::vector<std::string> names;
  for (const auto& [known, its_method] : routes_) names.push_back(known);
  return fmt::format("there is no {}; there are {}", shown_value(path), enumeration(names, "and"));
}

}  // namespace transformer
