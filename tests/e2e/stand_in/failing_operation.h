#pragma once

#include <string>

namespace transformer::stand_in {

/// Counts an operation on the stand-in GPU. Throws the error of a failing GPU if an environment variable asks for it:
/// STAND_IN_FAILS_AFTER=N for every operation after the first N, STAND_IN_FAILS_IN=NAME for those called NAME. If
/// STAND_IN_FAILING_RANK is set, this happens only in the process whose RANK equals it.
void count_operation(const std::string& name);

}  // namespace transformer::stand_in
