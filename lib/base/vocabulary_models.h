#pragma once

#include <string>

namespace transformer {

/// The bytes of the SentencePiece models of both sides, which may share one (Deviation D22).
struct VocabularyModels {
  std::string target;
  std::string source = {};  // empty: the source shares the target's

  const std::string& of_source() const { return source.empty() ? target : source; }
  bool operator==(const VocabularyModels&) const = default;
};

}  // namespace transformer
