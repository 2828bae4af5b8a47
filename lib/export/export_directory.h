#pragma once

#include <string>
#include <vector>

#include "text/source_and_target.h"

namespace transformer {

/// Throws Error: the file is not one of `export`, which would remove or replace it.
[[noreturn]] void throw_not_exported(const std::string& path);

/// Throws Error if an export of a model with these vocabularies into the directory would remove or replace a model or
/// vocabularies that `export` has not written.
void check_export_directory(const std::string& directory, const VocabularyModels& models);

/// Writes the vocabularies' SentencePiece models into a directory of exports. If it has other ones, removes first the
/// parameters of every format, which belong to those. Returns the paths of the files that it wrote. Throws Error if a
/// file cannot be read or written.
std::vector<std::string> replace_vocabulary(const std::string& directory, const VocabularyModels& models);

}  // namespace transformer
