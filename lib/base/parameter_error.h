#pragma once

#include "base/error.h"

namespace transformer {

/// A parameter of a task has a value that cannot be used, or that has no effect. Messages have the names of parameters
/// in single quotes, as in "'nbest' is 5, but the beam size is 4; give a larger 'beam_size'"; the command line shows
/// them as its options (describe_current_exception).
class ParameterError : public UsageError {
 public:
  using UsageError::UsageError;
};

}  // namespace transformer
