#pragma once

#include <string>
#include <string_view>

namespace transformer {

/// Whether a file that begins with these bytes is a zip archive.
bool is_zip(std::string_view beginning);

/// What a file with this beginning is, if it is compressed, an archive or a document of another program, and what to do
/// with it instead of reading it as text: "compressed with xz; decompress it, or compress it with gzip". Empty for
/// other files. An archive is recognized as a document by the names of its files, which follow far behind its
/// beginning.
std::string describe_binary_format(std::string_view beginning);

/// What text with this beginning is, if it is markup or JSON instead of one sentence in each line, and what to do with
/// it: "JSON; write ...". Empty for other text. A byte order mark and blanks before the markup are skipped.
std::string describe_markup(std::string_view beginning);

}  // namespace transformer
