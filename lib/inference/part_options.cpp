#include "inference/part_options.h"

#include "base/format.h"
#include "base/parameter_error.h"
#include "text/sentences.h"

namespace transformer {

void check_part_options(const PartOptions& options) {
  if (options.split_language.empty()) return;
  if (options.split == LineParts::lines) throw ParameterError("'split_language': needs 'split' sentences");
  if (!is_language_code(options.split_language)) {
    throw ParameterError("'split_language' {}: is no language; give a code of ISO 639, such as en, de or zh",
                         shown_value(options.split_language));
  }
}

}  // namespace transformer
