#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

namespace transformer {

/// A broken rule that ties several keys together, or that a Range cannot express.
struct BrokenRule {
  std::vector<std::string> keys;  // those that the rule is about; the message begins with the first one
  std::string message;            // "model.h does not divide d_model: 512 / 7"
};

/// Collects broken rules.
class Rules {
 public:
  /// Adds a broken rule unless the rule holds. The message continues the first of the keys.
  template <class... Args>
  void require(bool holds, std::vector<std::string> keys, fmt::format_string<Args...> message, Args&&... args) {
    if (holds) return;
    const std::string text = keys.front() + " " + fmt::format(message, std::forward<Args>(args)...);
    broken_.push_back({std::move(keys), text});
  }

  const std::vector<BrokenRule>& broken() const { return broken_; }

 private:
  std::vector<BrokenRule> broken_;
};

}  // namespace transformer
