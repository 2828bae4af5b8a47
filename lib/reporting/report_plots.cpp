#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>

#include "reporting/html.h"
#include "reporting/metric_values.h"
#include "reporting/plot.h"
#include "reporting/report_parts.h"

namespace transformer {
namespace {

/// A curve of a plot: a metric of training, or of a validation set.
struct PlottedMetric {
  std::string metric, name;
  bool of_validation;
  std::string set = {};  // see validation_key

  std::string key() const { return of_validation ? validation_key(metric, set) : metric; }
};

struct MetricPlot {
  PlotStyle style;
  std::vector<PlottedMetric> metrics;
};

/// The plots, with a curve for each validation set of the runs.
std::vector<MetricPlot> metric_plots(const std::vector<RunRecord>& runs) {
  std::vector<MetricPlot> plots = {
      {{"Loss", loss_text, false, false}, {{"loss", "training", false}, {"loss", "validation", true}}},
      {{"Perplexity", perplexity_text, false, true},
       {{"perplexity", "training", false}, {"perplexity", "validation", true}}},
  };
  for (const TranslationMetric& score : translation_metrics(runs)) {
    plots.push_back({{score.plot_title, score_text, false, false}, {{std::string(score.metric), "", true}}});
  }
  plots.insert(plots.end(),
               {{{"Learning rate", rate_text, true, false}, {{"learning_rate", "", false}}},
                {{"Target tokens per second", count_text, true, false}, {{"target_tokens_per_second", "", false}}},
                {{"Memory (GB)", memory_text, true, false, 1e9}, {{"memory_bytes", "", false}}}});
  std::set<std::string> sets;
  for (const RunRecord& run : runs) {
    for (const std::string& set : further_validation_sets(run.metrics)) sets.insert(set);
  }
  for (MetricPlot& plot : plots) {
    const PlottedMetric first = plot.metrics.back();
    if (!first.of_validation || sets.empty()) continue;
    if (first.name.empty()) plot.metrics.back().name = "first set";
    for (const std::string& set : sets) {
      const std::string name = first.name.empty() ? set : fmt::format("{} of {}", first.name, set);
      plot.metrics.push_back({first.metric, name, true, set});
    }
  }
  return plots;
}

/// The curves of the plot. In the report of one run, each metric has a color of its own. In a comparison of runs, each
/// run has a color, and each metric a line pattern.
std::vector<PlotSeries> series_of(const MetricPlot& plot, const std::vector<RunRecord>& runs) {
  const bool one_run = runs.size() == 1;
  std::vector<PlotSeries> series;
  for (size_t run = 0; run < runs.size(); ++run) {
    for (size_t i = 0; i < plot.metrics.size(); ++i) {
      const PlottedMetric& metric = plot.metrics[i];
      const std::vector<PlotPoint> points = downsample(points_of(runs[run].metrics, metric.key()));
      if (points.empty()) continue;
      const std::string separator = one_run || metric.name.empty() ? "" : ", ";
      series.push_back({.name = fmt::format("{}{}{}", one_run ? "" : runs[run].name, separator, metric.name),
                        .color = one_run ? i : run,
                        .pattern = one_run ? 0 : i,
                        .points = points});
    }
  }
  return series;
}

std::string legend_entry(const PlotStyle& style, const PlotSeries& series) {
  return fmt::format("<li class=\"{}\"><span class=\"line{}\"></span>{} <span class=\"note\">{}</span></li>\n",
                     color_class(series.color), pattern_class(series.pattern), escaped_html(series.name),
                     at_step(style, series.points.back()));
}

std::string figure(const MetricPlot& plot, const std::vector<RunRecord>& runs, int64_t last_step) {
  const std::vector<PlotSeries> series = series_of(plot, runs);
  std::string html = fmt::format("<figure><figcaption>{}</figcaption>\n", plot.style.title);
  if (series.empty()) return html + "<p class=\"note\">Nothing yet.</p></figure>\n";
  html += "<ul class=\"legend\">\n";
  for (const PlotSeries& one : series) html += legend_entry(plot.style, one);
  return html + "</ul>\n" + plot_picture(plot.style, series, last_step) + "</figure>\n";
}

}  // namespace

std::string report_plots(const std::vector<RunRecord>& runs) {
  int64_t last_step = 0;
  for (const RunRecord& run : runs) last_step = std::max(last_step, latest_step(run.metrics));
  std::string html;
  for (const MetricPlot& plot : metric_plots(runs)) html += figure(plot, runs, last_step);
  return html;
}

}  // namespace transformer
