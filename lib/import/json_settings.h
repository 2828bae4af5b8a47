#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace transformer {

/// The keys of a JSON file of settings, such as Hugging Face's config.json. A key that is null is missing. Every
/// function throws Error, which names the file and the key, if a value has another type.
class JsonSettings {
 public:
  /// Throws Error if the text is no JSON object; `path` is the file in messages.
  JsonSettings(std::string_view text, std::string path);

  const Json* find(const std::string& key) const;
  std::optional<std::string> text(const std::string& key) const;
  std::optional<int64_t> integer(const std::string& key) const;
  std::optional<double> number(const std::string& key) const;
  std::optional<bool> flag(const std::string& key) const;
  /// Throws Error if the key is missing.
  int64_t required_integer(const std::string& key) const;

  const Json& object() const { return object_; }
  const std::string& path() const { return path_; }

 private:
  template <class Read>
  auto read(const std::string& key, const Read& read) const;

  Json object_;
  std::string path_;
};

}  // namespace transformer
