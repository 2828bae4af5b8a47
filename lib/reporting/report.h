#pragma once

#include <string>
#include <vector>

#include "reporting/metrics.h"

namespace transformer {

/// One sentence of the latest validation.
struct SampleTranslation {
  std::string source, reference, translation;
};

struct ReportContents {
  std::string title;        // the run's name
  std::string config_text;  // the resolved config, as YAML
  std::vector<Metrics> metrics;
  std::vector<SampleTranslation> samples;
};

/// The run's report.html: summary figures, curves, a table of validations, sample translations and the config, in one
/// page that needs no other file and no script (its template is report.html, its style sheet report.css). A curve has
/// about 500 points at most, each the mean of neighbouring lines, so that the page of a long run stays small.
std::string report_page(const ReportContents& contents);

}  // namespace transformer
