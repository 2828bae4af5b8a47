#pragma once

#include <string>
#include <string_view>

namespace transformer {

/// Whether a file that begins with these bytes is a zip archive.
bool is_zip(std::string_view beginning);

/// What a file with this beginning is, if it is an archive, a document of another program or compressed in a way that
/// is not read, and what to do with it instead of reading it as text: "a PDF document; save its text as plain text".
/// Empty for other files. An archive is recognized as a document by the names of its files, which follow far behind its
/// beginning.
std::string describe_binary_format(std::string_view beginning);

/// Whether a text that begins so is subtitles of SubRip or WebVTT.
bool are_subtitles(std::string_view beginning);

/// Whether a text that begins so is HTML or XHTML.
bool is_html(std::string_view beginning);

/// Text that is not one sentence in each line. A byte order mark, blanks, comments and processing instructions before
/// the markup are skipped.
enum class Markup { none, xml, sgml, json_lines, other };
Markup markup_of(std::string_view beginning);

/// What text of Markup::other is, and what to do with it: "HTML; write ...".
std::string describe_markup(std::string_view beginning);

}  // namespace transformer
