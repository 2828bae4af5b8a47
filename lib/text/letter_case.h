#pragma once

#include <string>
#include <string_view>

namespace transformer {

/// A text with all letters in capitals, by the rules of Unicode that hold for all languages: "ß" becomes "SS". Words in
/// angle brackets, such as the tag <2de> or the placeholder <num>, stay as they are.
std::string to_upper(std::string_view text);

/// A text in which each word begins with a capital letter, as English headlines do. Words in angle brackets stay as
/// they are.
std::string to_title(std::string_view text);

}  // namespace transformer
