#pragma once

#include <map>
#include <string>

namespace transformer {

/// Reads one JSON object, strictly. Returns its values by their keys: a string without its quotes, anything else as it
/// is written. Throws std::runtime_error where the text is not JSON, has something after the object or a key twice.
std::map<std::string, std::string> parse_json_object(const std::string& text);

}  // namespace transformer
