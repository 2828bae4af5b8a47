#pragma once

#include <string>
#include <vector>

#include "reporting/run_record.h"

namespace transformer {

// The parts of report.html, as HTML.

/// The state of a run in one line: its status, when it was updated, and the device.
std::string status_line(const RunRecord& run);

/// The latest and best figures of one run, as tiles.
std::string summary_tiles(const RunRecord& run);

/// The latest and best figures of several runs, as a table with a column for each.
std::string summary_table(const std::vector<RunRecord>& runs);

/// The validations of a run, as a table with the newest first.
std::string validation_table(const RunRecord& run);

/// The plots of the report as <figure> elements: losses, perplexities, BLEU, chrF, learning rate, speed and memory by
/// step, each with a legend that has the latest values. Of several runs, the first eight have different colors, and the
/// second and further curves of a run in a plot are dashed or dotted.
std::string report_plots(const std::vector<RunRecord>& runs);

/// The sample sentences of the validations, each with its translations: of one run those of all steps, the newest
/// first, where equal translations of successive validations are one row; of several runs the latest one of each run.
/// Empty without samples.
std::string sample_translations(const std::vector<RunRecord>& runs);

}  // namespace transformer
