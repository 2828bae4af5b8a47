#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace transformer {

/// The character of a name, such as "é" for "eacute"; empty for an unknown one.
using NamedCharacters = std::string (*)(std::string_view name);

/// The text with the characters of its entities, such as "&amp;" and "&#xE9;", and of those that `names` knows besides
/// the five of XML; an ampersand that begins none stays.
std::string without_entities(std::string_view text, NamedCharacters names = nullptr);

/// The size of the reference to a character with which a text of HTML begins where it lacks its ';', but a browser
/// reads it nevertheless: 7 for "&eacutes", 4 for "&#38 "; 0 if the text begins with none.
size_t size_without_semicolon(std::string_view text);

/// The characters that HTML names in Latin-1, and punctuation. With it, `without_entities` reads numbers as HTML does,
/// so that "&#150;" is a dash.
std::string html_character(std::string_view name);

}  // namespace transformer
