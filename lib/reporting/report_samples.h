#pragma once

#include <string>
#include <vector>

#include "reporting/run_record.h"

namespace transformer {

/// The sample sentences of the validations, each with its translations: of one run those of all steps, the newest
/// first, where equal translations of successive validations are one row; of several runs the latest one of each run.
/// Empty without samples.
std::string sample_translations(const std::vector<RunRecord>& runs);

}  // namespace transformer
