#include "serialization/archive.h"

#include "fuzz.h"
#include "serialization/archive_bytes.h"
#include "serialization/zip_archive.h"

namespace transformer {

/// The zip archive of a model file of an older version, which gets a correct checksum.
void fuzz(std::string_view input) { load_zip_archive(InputFile(with_checksum(std::string(input))).path()); }

}  // namespace transformer
