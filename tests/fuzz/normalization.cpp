#include "text/normalization.h"

#include "fuzz.h"

namespace transformer {

/// A file of normalization rules.
void fuzz(std::string_view input) { check_normalization_rules(InputFile(input).path()); }

}  // namespace transformer
