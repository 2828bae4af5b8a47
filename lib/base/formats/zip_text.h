#pragma once

#include <memory>
#include <string>

#include "base/formats/decompressor.h"
#include "base/zip_directory.h"

namespace transformer {

/// Finds the file of a zip archive that the path of a text means. OPUS's packages in the format of Moses have a file
/// for each language, such as "News.de-en.de", and others such as "README". `part` is what the path names behind '#':
/// a language, which is the ending of a file's name ("en" also finds "en_GB"), or the whole name of a file. It may be
/// empty if one file alone is text. `file` is the path for examples in messages. Throws FormatError if the archive
/// lacks such a file or has several, or if the one that is meant is compressed or in another format, as its name says;
/// and Error, whose message is the reason, if it is damaged. Returns an empty name if no part is named and the archive
/// is a document of another program.
std::pair<std::string, ZipRecord> find_zip_text(uint64_t archive_size, const ReadArchive& read, const std::string& part,
                                                const std::string& file);

/// Decompresses the bytes of the record and compares the content with its size and checksum.
std::unique_ptr<Decompressor> decompressor_for(const ZipRecord& record);

}  // namespace transformer
