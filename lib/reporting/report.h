#pragma once

#include <string>
#include <vector>

#include "reporting/run_record.h"

namespace transformer {

struct ReportContents {
  std::vector<RunRecord> runs;  // at least one
  bool refreshes = false;       // whether the page reloads itself while its run is running
};

/// A page about one training run, or one that compares several: figures, plots, validations, sample translations and
/// configs. It needs no other file and no script (its template is report.html, its style sheet report.css). A curve has
/// about 500 points at most, each the mean of neighboring lines, so that the page of a long run stays small.
std::string report_page(const ReportContents& contents);

}  // namespace transformer
