#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "documents/document.h"

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

/// Whether the content of HTML elements with this name is no sentence, and stays as it is.
bool is_verbatim_element(std::string_view name);

/// The size of the entity with which a text of HTML or Markdown begins, such as "&amp;" or "&#38;"; 0 if it begins with
/// none.
size_t entity_size(std::string_view text);

/// Adds the entity's character; the entity itself as markup if it has none that is known.
void add_entity(SegmentBuilder& segment, std::string_view entity, bool keep_line_breaks = false);

/// Adds text of HTML with entities, some of which need no semicolon. Line breaks in it become spaces, or stay where
/// `keep_line_breaks` is set.
void add_html_text(SegmentBuilder& segment, std::string_view text, bool keep_line_breaks = false);

}  // namespace transformer
