#pragma once

#include <cstdlib>
#include <map>
#include <optional>
#include <string>

namespace transformer {

/// Sets these environment variables, and removes those without a value, until it is destroyed.
class Environment {
 public:
  using Variables = std::map<std::string, std::optional<std::string>>;

  explicit Environment(const Variables& variables) {
    for (const auto& [name, value] : variables) {
      const char* old = std::getenv(name.c_str());
      before_[name] = old != nullptr ? std::optional<std::string>(old) : std::nullopt;
    }
    set(variables);
  }
  ~Environment() { set(before_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static void set(const Variables& variables) {
    for (const auto& [name, value] : variables) {
      if (value) {
        setenv(name.c_str(), value->c_str(), /*overwrite=*/1);
      } else {
        unsetenv(name.c_str());
      }
    }
  }

  Variables before_;
};

}  // namespace transformer
