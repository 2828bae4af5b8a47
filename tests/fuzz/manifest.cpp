#include "data/manifest.h"

#include "fuzz.h"

namespace transformer {

/// The manifest of prepared files.
void fuzz(std::string_view input) { read_manifest(InputFile(input).path()); }

}  // namespace transformer
