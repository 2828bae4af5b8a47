#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/sentences.h"

namespace transformer {

/// Parts of a text that its translation must have unchanged, such as "{name}".
class Placeholders {
 public:
  /// Those that match one of the regular expressions (ICU's), and the usual ones if `usual`. Throws ParameterError if
  /// one is none, or matches the empty text.
  Placeholders(bool usual, const std::vector<std::string>& expressions);
  ~Placeholders();

  /// In their order, none of them empty. Throws Error if the search takes too long, as some expressions make it.
  std::vector<TextRange> find(std::string_view text) const;
  /// Whether a translation has each placeholder of its source as often as that has, and no other.
  bool are_kept(std::string_view source, std::string_view translation) const;

 private:
  struct Pattern;
  std::unique_ptr<const Pattern> pattern_;
};

}  // namespace transformer
