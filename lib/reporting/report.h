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

/// The run's report.html: summary figures, curves, table of validations, sample translations and
/// config, in one page that needs no other file and no script. A curve has at most some hundred
/// points, the means of neighbouring lines, so that the page stays small however long the run is.
std::string report_page(const ReportContents& contents);

}  // namespace transformer
