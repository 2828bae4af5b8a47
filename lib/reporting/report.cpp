#include "reporting/report.h"

#include <fmt/core.h>

#include "embedded/report.css.h"
#include "embedded/report.html.h"
#include "reporting/html.h"
#include "reporting/report_parts.h"

namespace transformer {
namespace {

constexpr char kRefresh[] = "<meta http-equiv=\"refresh\" content=\"30\">\n";

bool is_running(const RunRecord& run) { return run.facts && run.facts->status == RunStatus::running; }

std::string title_of(const std::vector<RunRecord>& runs) {
  return runs.size() == 1 ? runs[0].name : fmt::format("Comparison of {} runs", runs.size());
}

/// Rows for the keys of the config whose values are not equal in all runs, except for the run directory.
std::string difference_rows(const std::vector<RunRecord>& runs) {
  std::string rows;
  for (size_t i = 0; i < runs[0].config_values.size(); ++i) {
    const auto& [key, first] = runs[0].config_values[i];
    bool differs = false;
    std::string cells;
    for (const RunRecord& run : runs) {
      const std::string& value = run.config_values[i].second;
      differs = differs || value != first;
      cells += fmt::format("<td>{}</td>", escaped_html(value));
    }
    if (differs && key != "training.directory") {
      rows += fmt::format("<tr><th scope=\"row\">{}</th>{}</tr>\n", escaped_html(key), cells);
    }
  }
  return rows;
}

std::string difference_table(const std::vector<RunRecord>& runs) {
  const std::string rows = difference_rows(runs);
  if (rows.empty()) return "<p class=\"note\">These runs have the same config.</p>\n";
  std::string names;
  for (const RunRecord& run : runs) names += fmt::format("<th>{}</th>", escaped_html(run.name));
  return fmt::format(
      "<p class=\"note\">These runs have different configs; their figures are comparable only as far as these keys "
      "allow.</p>\n"
      "<div class=\"scroll\"><table>\n<thead><tr><th>Key</th>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
      names, rows);
}

std::string details(const std::string& summary, const std::string& html) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", escaped_html(summary), html);
}

std::string config_text(const RunRecord& run) { return fmt::format("<pre>{}</pre>", escaped_html(run.config_text)); }

std::string summary_of_one(const RunRecord& run) { return status_line(run) + summary_tiles(run); }

std::string summary_of_several(const std::vector<RunRecord>& runs) {
  return summary_table(runs) + "<h2>Differences between the configs</h2>\n" + difference_table(runs);
}

std::string details_of_one(const RunRecord& run) {
  return "<h2>Validations</h2>\n" + validation_table(run) + sample_translations({run}) + "<h2>Config</h2>\n" +
         details("All keys and values", config_text(run));
}

std::string details_of_several(const std::vector<RunRecord>& runs) {
  std::string html = sample_translations(runs) + "<h2>Validations and configs</h2>\n";
  for (const RunRecord& run : runs) html += details(run.name, validation_table(run) + config_text(run));
  return html;
}

}  // namespace

std::string report_page(const std::vector<RunRecord>& runs, bool refreshes) {
  const bool one_run = runs.size() == 1;
  return filled_template(kReportHtml, {{"title", escaped_html(title_of(runs))},
                                       {"refresh", one_run && refreshes && is_running(runs[0]) ? kRefresh : ""},
                                       {"style", std::string(kReportCss)},
                                       {"summary", one_run ? summary_of_one(runs[0]) : summary_of_several(runs)},
                                       {"plots", report_plots(runs)},
                                       {"details", one_run ? details_of_one(runs[0]) : details_of_several(runs)}});
}

}  // namespace transformer
