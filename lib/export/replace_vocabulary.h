#pragma once

#include <string>
#include <vector>

#include "base/vocabulary_models.h"

namespace transformer {

/// Writes the vocabularies' SentencePiece models into a directory of exports. If it has other ones, removes first the
/// parameters of every format, which belong to those. Returns the paths of the files that it wrote. Throws Error if a
/// file cannot be read or written.
std::vector<std::string> replace_vocabulary(const std::string& directory, const VocabularyModels& models);

}  // namespace transformer
