#pragma once

#include <string>

namespace transformer::stand_in {

/// Counts an operation on the GPU. Throws the error of a failing GPU from the operation STAND_IN_FAILS_AFTER on, or at
/// the operation called STAND_IN_FAILS_IN; with STAND_IN_FAILING_RANK only in this rank.
void count_operation(const std::string& name);

}  // namespace transformer::stand_in
