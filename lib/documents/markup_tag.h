#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace transformer {

/// A tag, comment or declaration of HTML or SGML, "<...>" with its brackets.
struct MarkupTag {
  std::string name;  // in lower case, without '/'; empty for a comment, declaration or instruction
  bool is_end = false;
  size_t end = 0;  // behind it
};

/// The tag that begins at this position of a text; one with end 0 if the '<' begins none.
MarkupTag tag_at(std::string_view text, size_t position);

/// The value of an attribute of a start tag, or empty.
std::string attribute_of(std::string_view tag, std::string_view name);

/// The start tag with another value of an attribute, which is added if the tag lacks it.
std::string with_attribute(const std::string& tag, const std::string& name, const std::string& value);
std::string without_attribute(const std::string& tag, const std::string& name);

}  // namespace transformer
