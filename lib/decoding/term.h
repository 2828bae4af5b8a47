#pragma once

#include <string>

namespace transformer {

/// A phrase of the source, and the phrase that the translation of a sentence with it should have.
struct Term {
  std::string source, target;
  std::string place = {};  // in messages, such as "terms.tsv:3"

  bool operator==(const Term&) const = default;
};

}  // namespace transformer
