#pragma once

#include <string>
#include <vector>

#include "config/load_config.h"

namespace transformer {

/// One line for each key: its name, what it accepts, its default and its meaning.
std::string format_text(const std::vector<KeyValue>& defaults);
/// A JSON list with an object for each key.
std::string format_json(const std::vector<KeyValue>& defaults);

/// YAML with the origin of each value as a comment.
std::string format_text(const ResolvedConfig& resolved);
/// A JSON object with `files`, and in `keys` for each key its `value` and its `origin`.
std::string format_json(const ResolvedConfig& resolved);

}  // namespace transformer
