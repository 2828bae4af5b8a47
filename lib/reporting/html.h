#pragma once

#include <map>
#include <string>
#include <string_view>

namespace transformer {

/// The text with &, <, > and " as character references, for the content and the attributes of HTML elements.
std::string escaped_html(std::string_view text);

/// Placeholders of a template, without their braces, and the HTML in their place.
using HtmlParts = std::map<std::string_view, std::string>;

/// The template with each {{placeholder}} replaced. Inserted text is not searched for placeholders.
std::string filled_template(std::string_view html, const HtmlParts& parts);

}  // namespace transformer
