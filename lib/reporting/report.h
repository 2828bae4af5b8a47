#pragma once

#include <string>
#include <vector>

#include "reporting/run_record.h"

namespace transformer {

/// A page about one training run, or one that compares several: figures, plots, validations, sample translations and
/// configs. `runs` has at least one; with `refreshes`, the page of one run reloads itself while the run is running. It
/// needs no other file and no script (its template is report.html, its style sheet report.css). A curve has about 500
/// points at most, each the mean of neighboring lines, so that the page of a long run stays small.
std::string report_page(const std::vector<RunRecord>& runs, bool refreshes = false);

}  // namespace transformer
