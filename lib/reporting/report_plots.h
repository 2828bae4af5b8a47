#pragma once

#include <string>
#include <vector>

#include "reporting/run_record.h"

namespace transformer {

/// The plots of the report as <figure> elements: losses, perplexities, BLEU, chrF, learning rate, speed and memory by
/// step, each with a legend that has the latest values. Of several runs, the first eight have different colors, and the
/// second and further curves of a run in a plot are dashed or dotted.
std::string report_plots(const std::vector<RunRecord>& runs);

}  // namespace transformer
