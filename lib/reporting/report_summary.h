#pragma once

#include <string>
#include <vector>

#include "reporting/run_record.h"

namespace transformer {

/// The state of a run in one line: its status, when it was updated, and the device.
std::string status_line(const RunRecord& run);

/// The latest and best figures of one run, as tiles.
std::string summary_tiles(const RunRecord& run);

/// The latest and best figures of several runs, as a table with a column for each.
std::string summary_table(const std::vector<RunRecord>& runs);

/// The validations of a run, as a table with the newest first.
std::string validation_table(const RunRecord& run);

}  // namespace transformer
