#pragma once

#include <cstdint>

#include "config/load_config.h"

namespace transformer {

/// Whether the config file or an override gives `decoding.max_extra_tokens`.
bool is_max_extra_tokens_given(const ResolvedConfig& resolved);

/// The `decoding.max_extra_tokens` of a new run, whose data is prepared. The config's value is too small for a pair
/// whose target, with the end symbol, has more tokens than the source's pieces and this value. Logs how many such pairs
/// the training corpus has, with a warning if they are more than 1 %; then, unless the value is given, returns one that
/// is large enough for 99.9 % of the pairs. Throws Error if the corpus cannot be read.
int64_t choose_max_extra_tokens(const Config& config, bool is_given);

}  // namespace transformer
