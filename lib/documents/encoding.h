#pragma once

#include <string>
#include <string_view>

namespace transformer {

/// The encoding of an XML document, from its byte order mark or its declaration; empty for UTF-8.
std::string xml_encoding(std::string_view bytes);

/// The encoding that HTML declares in a <meta> near its beginning, for text that may be in it: empty for UTF-8, and for
/// what is UTF-8 whatever it declares.
std::string html_encoding(std::string_view bytes);

/// The text, in UTF-8. Throws Error if the encoding is not known to ICU, or if the bytes are not that text's, so that
/// they could not be written back.
std::string decoded(std::string_view bytes, const std::string& encoding);

/// The inverse; characters that the encoding lacks become character references of XML.
std::string encoded(std::string_view text, const std::string& encoding);

}  // namespace transformer
