#pragma once

#include <string>
#include <string_view>

#include "text/piece_list.h"

namespace transformer {

/// A vocabulary in YAML, a map from pieces to ids, as Marian reads it. Throws Error, which names `path`, if it is none,
/// or lacks the end or the unknown symbol.
PieceList read_yaml_vocabulary(std::string_view text, const std::string& path);

}  // namespace transformer
