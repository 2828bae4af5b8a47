#pragma once

#include <string>
#include <string_view>

namespace transformer {

/// Whether a file that begins with these bytes is a zip archive.
bool is_zip(std::string_view beginning);

/// What a zip archive is whose bytes contain these, if it is a document or model of another program, as in
/// describe_binary_format; empty for other archives.
std::string describe_document_archive(std::string_view bytes);

/// What a file with this beginning is, if it is an archive, a document of another program or compressed in a way that
/// is not read, and what to do with it instead of reading it as text: "a PDF document; save its text as plain text".
/// Empty for other files. An archive is recognized as a document by the names of its files, which follow far behind its
/// beginning.
std::string describe_binary_format(std::string_view beginning);

/// What a file is whose name says that its text stands among keys, and what to do with it, as in
/// describe_binary_format. Empty for other files.
std::string describe_named_format(const std::string& file);

/// Whether a text that begins so is subtitles of SubRip or WebVTT.
bool are_subtitles(std::string_view beginning);

/// Whether a text that begins so is HTML or XHTML, or a part of it: it begins with an element such as "div" or "p", and
/// most of its lines are markup.
bool is_html(std::string_view beginning);

/// Text that is not one sentence in each line; of XML, TMX, XLIFF and test sets are read. A byte order mark, blanks,
/// comments and processing instructions before the markup are skipped.
enum class Markup { none, xml, sgml, json_lines, other };
Markup markup_of(std::string_view beginning);

/// What text of Markup::other is, and what to do with it: "HTML; write ...".
std::string describe_markup(std::string_view beginning);

}  // namespace transformer
