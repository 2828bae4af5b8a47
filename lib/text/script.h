#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transformer {

/// The letters of a writing system, as Unicode names it ("Latin", "Cyrl"), or of a language ("ja": kanji, hiragana and
/// katakana).
class Script {
 public:
  /// Null if ICU knows no script or language of this name.
  static std::optional<Script> find(const std::string& name);

  /// Whether at least half of the text's letters are of this script. A text without letters counts as written in it.
  bool writes(std::string_view text) const;

 private:
  explicit Script(std::vector<int32_t> codes) : codes_(std::move(codes)) {}

  std::vector<int32_t> codes_;  // ICU's
};

}  // namespace transformer
