#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "model/run_files.h"
#include "reporting/report.h"
#include "reporting/run_record.h"

namespace transformer {

/// Reads the files that the report of a run with this config needs. Throws Error if one is damaged.
RunRecord read_run_record(const RunFiles& directory, const Config& config);

/// The report page of one run, or one that compares several, from their directories. `output` is the file that it is
/// for. Throws Error if a directory holds no run or a run without metrics, UsageError if one is given twice or if the
/// page would replace a file that it is made of.
std::string make_report(const std::vector<std::string>& run_directories, const std::string& output = "");

}  // namespace transformer
