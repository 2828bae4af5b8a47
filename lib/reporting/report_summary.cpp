#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/format.h"
#include "reporting/html.h"
#include "reporting/metric_values.h"
#include "reporting/metrics.h"
#include "reporting/report_parts.h"

namespace transformer {
namespace {

constexpr char kMissing[] = "–";

std::string badge(const RunRecord& run) {
  if (!run.facts) return kMissing;
  return fmt::format("<span class=\"badge {0}\">{0}</span>", name_of(run.facts->status));
}

/// Such as "2 × NVIDIA H200", as HTML.
std::string device_text(const RunFacts& facts) {
  const std::string device = escaped_html(facts.device);
  return facts.devices > 1 ? fmt::format("{} × {}", facts.devices, device) : device;
}

std::string value_and_step(const std::optional<PlotPoint>& point, NumberFormat format) {
  if (!point) return kMissing;
  return fmt::format("{} <span class=\"note\">at {}</span>", format(point->value), count_text(point->step));
}

std::string tile(std::string_view label, std::string_view value, std::string_view note) {
  return fmt::format(
      "<div class=\"tile\"><div class=\"label\">{}</div><div class=\"value\">{}</div><div "
      "class=\"note\">{}</div></div>\n",
      label, value, note);
}

std::string best_tile(std::string_view label, const std::optional<PlotPoint>& best, NumberFormat format) {
  return best ? tile(label, format(best->value), fmt::format("at step {}", count_text(best->step)))
              : tile(label, kMissing, "no validation yet");
}

std::string step_tile(const RunRecord& run) {
  const int64_t step = latest_step(run.metrics);
  if (run.facts && run.facts->status == RunStatus::finished && step < run.train_steps) {
    return tile("Step", with_thousands(step), fmt::format("ended before {}", with_thousands(run.train_steps)));
  }
  const double share =
      std::min(1.0, static_cast<double>(step) / static_cast<double>(std::max<int64_t>(run.train_steps, 1)));
  return tile("Step", with_thousands(step),
              fmt::format("of {}<div class=\"progress\"><div style=\"width:{:.1f}%\"></div></div>",
                          with_thousands(run.train_steps), 100 * share));
}

std::string metric_cell(const MetricsLine& line, std::string_view key, NumberFormat format) {
  return fmt::format("<td>{}</td>", text_or_dash(line.value(key), format));
}

/// A row of the table of several runs: a cell for each run, whose HTML `text_of` makes.
template <class TextOf>
std::string figure_row(std::string_view heading, const std::vector<RunRecord>& runs, TextOf text_of) {
  std::string html = fmt::format("<tr><th scope=\"row\">{}</th>", heading);
  for (const RunRecord& run : runs) html += fmt::format("<td>{}</td>", text_of(run));
  return html + "</tr>\n";
}

std::string latest_row(std::string_view heading, const std::vector<RunRecord>& runs, std::string_view key,
                       NumberFormat format) {
  return figure_row(heading, runs,
                    [&](const RunRecord& run) { return text_or_dash(latest_value(run.metrics, key), format); });
}

/// A row with the best value of each run, which `best_of` finds; the best of all runs is marked.
std::string best_row(std::string_view heading, const std::vector<RunRecord>& runs, std::string_view key,
                     NumberFormat format, std::optional<PlotPoint> (*best_of)(const std::vector<PlotPoint>&)) {
  std::vector<std::optional<PlotPoint>> figures;
  std::vector<PlotPoint> found;
  for (const RunRecord& run : runs) {
    figures.push_back(best_of(points_of(run.metrics, key)));
    if (figures.back()) found.push_back(*figures.back());
  }
  const std::optional<PlotPoint> best = best_of(found);
  std::string html = fmt::format("<tr><th scope=\"row\">{}</th>", heading);
  for (const auto& figure : figures) {
    html += fmt::format("<td{}>{}</td>", figure && figure->value == best->value ? " class=\"best\"" : "",
                        value_and_step(figure, format));
  }
  return html + "</tr>\n";
}

/// A row with a value of the facts.
template <class TextOf>
std::string fact_row(std::string_view heading, const std::vector<RunRecord>& runs, TextOf text_of) {
  return figure_row(heading, runs,
                    [&](const RunRecord& run) { return run.facts ? text_of(*run.facts) : std::string(kMissing); });
}

}  // namespace

std::string status_line(const RunRecord& run) {
  if (!run.facts) return "";
  const RunFacts& facts = *run.facts;
  return fmt::format("<p class=\"status\">{} updated {} · {}, threads: {} · {} parameters</p>\n", badge(run),
                     escaped_html(facts.updated), device_text(facts), facts.threads, with_thousands(facts.parameters));
}

std::string summary_tiles(const RunRecord& run) {
  const auto latest = [&](std::string_view key, NumberFormat format) {
    return text_or_dash(latest_value(run.metrics, key), format);
  };
  std::string best_scores;
  for (const TranslationMetric& score : translation_metrics({&run, 1})) {
    best_scores += best_tile(fmt::format("Best validation {}", score.name),
                             score.best_of(points_of(run.metrics, validation_key(score.metric))), score_text);
  }
  return "<div class=\"tiles\">\n" + step_tile(run) +
         tile("Training loss", latest("loss", loss_text), "perplexity " + latest("perplexity", perplexity_text)) +
         best_tile("Best validation loss", min_point(points_of(run.metrics, validation_key("loss"))), loss_text) +
         best_scores + tile("Target tokens per second", latest("target_tokens_per_second", count_text), "") +
         tile("Training time", latest("seconds", human_duration), "") +
         tile("Peak memory", latest("memory_bytes", memory_text), "") + "</div>\n";
}

std::string summary_table(const std::vector<RunRecord>& runs) {
  std::string html = "<div class=\"scroll\"><table>\n<thead><tr><th></th>";
  for (size_t i = 0; i < runs.size(); ++i) {
    html +=
        fmt::format("<th class=\"{}\"><span class=\"line\"></span>{}</th>", color_class(i), escaped_html(runs[i].name));
  }
  html += "</tr></thead>\n<tbody>\n";
  html += figure_row("Status", runs, badge);
  html += fact_row("Updated", runs, [](const RunFacts& facts) { return escaped_html(facts.updated); });
  html += figure_row("Step", runs, [](const RunRecord& run) {
    return fmt::format("{} of {}", with_thousands(latest_step(run.metrics)), with_thousands(run.train_steps));
  });
  html += latest_row("Latest training loss", runs, "loss", loss_text);
  html += best_row("Best validation loss", runs, validation_key("loss"), loss_text, min_point);
  html += best_row("Best validation perplexity", runs, validation_key("perplexity"), perplexity_text, min_point);
  for (const TranslationMetric& score : translation_metrics(runs)) {
    const std::string key = validation_key(score.metric);
    html += best_row(fmt::format("Best validation {}", score.name), runs, key, score_text, score.best_of);
    html += latest_row(fmt::format("Latest validation {}", score.name), runs, key, score_text);
  }
  html += latest_row("Target tokens per second", runs, "target_tokens_per_second", count_text);
  html += latest_row("Training time", runs, "seconds", human_duration);
  html += latest_row("Peak memory", runs, "memory_bytes", memory_text);
  html += fact_row("Parameters", runs, [](const RunFacts& facts) { return with_thousands(facts.parameters); });
  html += fact_row("Device", runs, [](const RunFacts& facts) { return device_text(facts); });
  return html + "</tbody></table></div>\n";
}

std::string validation_table(const RunRecord& run) {
  const auto validations = points_of(run.metrics, validation_key(run.best_by));
  const std::optional<PlotPoint> best = run.lower_is_better ? min_point(validations) : max_point(validations);
  const std::vector<TranslationMetric> scores = translation_metrics({&run, 1});
  const std::vector<std::string> sets = further_validation_sets(run.metrics);
  std::string headings, rows;
  for (const TranslationMetric& score : scores) headings += fmt::format("<th>{}</th>", score.name);
  for (const std::string& set : sets) {
    headings += fmt::format("<th>Loss of {}</th>", escaped_html(set));
    for (const TranslationMetric& score : scores) {
      headings += fmt::format("<th>{} of {}</th>", score.name, escaped_html(set));
    }
  }
  const auto score_cells = [&](const MetricsLine& line, const std::string& set) {
    std::string cells;
    for (const TranslationMetric& score : scores) {
      cells += metric_cell(line, validation_key(score.metric, set), score_text);
    }
    return cells;
  };
  for (auto line = run.metrics.rbegin(); line != run.metrics.rend(); ++line) {
    if (!line->value(validation_key("loss")) && !line->value(validation_key("bleu"))) continue;
    const bool is_best = best && static_cast<double>(line->step) == best->step;
    rows += fmt::format("<tr{}><td>{}{}</td>{}{}{}", is_best ? " class=\"best\"" : "", is_best ? "best " : "",
                        with_thousands(line->step), metric_cell(*line, validation_key("loss"), loss_text),
                        metric_cell(*line, validation_key("perplexity"), perplexity_text), score_cells(*line, ""));
    for (const std::string& set : sets) {
      rows += metric_cell(*line, validation_key("loss", set), loss_text) + score_cells(*line, set);
    }
    rows += "</tr>\n";
  }
  if (rows.empty()) return "<p class=\"note\">No validation yet.</p>\n";
  return fmt::format(
      "<div class=\"scroll\"><table>\n"
      "<thead><tr><th>Step</th><th>Loss</th><th>Perplexity</th>{}</tr></thead>\n"
      "<tbody>\n{}</tbody></table></div>\n",
      headings, rows);
}

}  // namespace transformer
