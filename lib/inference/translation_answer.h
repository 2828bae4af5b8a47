#pragma once

#include "base/json.h"
#include "inference/request_options.h"
#include "inference/translation.h"

namespace transformer {

/// A translated text as JSON: its best translation, the others as `alternatives` if the options ask
/// for several, and `warnings` of what is unusual about the text or its translation.
Json answer_of(const TranslatedLine& line, const RequestOptions& options);

}  // namespace transformer
