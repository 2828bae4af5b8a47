#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "reporting/report.h"
#include "reporting/run_record.h"
#include "training/run_directory.h"

namespace transformer {

/// Reads the files of a run directory that its report needs. Throws Error if the config is missing or a file is
/// damaged.
RunRecord read_run_record(const RunDirectory& directory);

/// The report page of one run, or one that compares several, from their directories. Throws Error if a directory holds
/// no run or a run without metrics.
std::string make_report(const std::vector<std::string>& run_directories);

}  // namespace transformer
