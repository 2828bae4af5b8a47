#include "reporting/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/format.h"
#include "embedded/report.css.h"
#include "embedded/report.html.h"
#include "reporting/curve.h"
#include "reporting/html.h"

namespace transformer {
namespace {

// Number formats of the metrics.

constexpr char kMissing[] = "–";

std::string loss_text(double value) { return fmt::format("{:.3f}", value); }
std::string bleu_text(double value) { return fmt::format("{:.2f}", value); }
std::string rate_text(double value) { return fmt::format("{:.2e}", value); }
std::string count_text(double value) { return with_thousands(std::llround(value)); }
std::string perplexity_text(double value) { return value < 1000 ? fmt::format("{:.2f}", value) : count_text(value); }

using NumberFormat = std::string (*)(double);

// Values from the metrics.

/// The finite values of `key`, in the order of the lines.
std::vector<CurvePoint> points_of(const std::vector<Metrics>& metrics, std::string_view key) {
  std::vector<CurvePoint> points;
  for (const Metrics& line : metrics) {
    const std::optional<double> value = line.value(key);
    if (value && std::isfinite(*value)) points.push_back({static_cast<double>(line.step), *value});
  }
  return points;
}

/// At most about kMaxPoints points, each the mean of a group of neighbours; the last point is kept as it is.
std::vector<CurvePoint> thinned(const std::vector<CurvePoint>& points) {
  static constexpr size_t kMaxPoints = 500;
  const size_t group = (points.size() + kMaxPoints - 1) / kMaxPoints;
  if (group <= 1) return points;
  std::vector<CurvePoint> means;
  for (size_t begin = 0; begin < points.size(); begin += group) {
    const size_t end = std::min(begin + group, points.size());
    CurvePoint mean{0, 0};
    for (size_t i = begin; i < end; ++i) {
      mean.step += points[i].step / static_cast<double>(end - begin);
      mean.value += points[i].value / static_cast<double>(end - begin);
    }
    means.push_back(mean);
  }
  means.push_back(points.back());
  return means;
}

std::optional<CurvePoint> best_bleu(const std::vector<Metrics>& metrics) {
  const std::vector<CurvePoint> points = points_of(metrics, "valid_bleu");
  const auto best =
      std::max_element(points.begin(), points.end(), [](CurvePoint a, CurvePoint b) { return a.value < b.value; });
  return best == points.end() ? std::nullopt : std::optional(*best);
}

std::string latest_text(const std::vector<Metrics>& metrics, std::string_view key, NumberFormat format) {
  const std::vector<CurvePoint> points = points_of(metrics, key);
  return points.empty() ? kMissing : format(points.back().value);
}

int64_t latest_step(const std::vector<Metrics>& metrics) {
  int64_t step = 0;
  for (const Metrics& line : metrics) step = std::max(step, line.step);
  return step;
}

// Curves.

struct MetricCurve {
  std::string_view key;
  Curve curve;
};

constexpr MetricCurve kCurves[] = {
    {"loss", {"Training loss", loss_text, false, false}},
    {"valid_perplexity", {"Validation perplexity", perplexity_text, false, true}},
    {"valid_bleu", {"Validation BLEU", bleu_text, false, false}},
    {"learning_rate", {"Learning rate", rate_text, true, false}},
};

std::string figure(const MetricCurve& of, const std::vector<Metrics>& metrics) {
  const auto& [key, curve] = of;
  const std::vector<CurvePoint> points = thinned(points_of(metrics, key));
  if (points.empty()) {
    return fmt::format("<figure><figcaption>{}</figcaption><p class=\"note\">Nothing yet.</p></figure>\n", curve.title);
  }
  return fmt::format("<figure><figcaption><span>{}</span><span class=\"note\">{}</span></figcaption>\n{}</figure>\n",
                     curve.title, at_step(curve, points.back()), curve_picture(curve, points, latest_step(metrics)));
}

std::string figures(const std::vector<Metrics>& metrics) {
  std::string html;
  for (const MetricCurve& curve : kCurves) html += figure(curve, metrics);
  return html;
}

// Tables and samples.

std::string cell(const Metrics& line, std::string_view key, NumberFormat format) {
  const double value = line.value(key).value_or(NAN);
  return fmt::format("<td>{}</td>", std::isfinite(value) ? format(value) : kMissing);
}

std::string validation_row(const Metrics& line, bool best) {
  return fmt::format("<tr{}><td>{}{}</td>{}{}{}</tr>\n", best ? " class=\"best\"" : "", best ? "best " : "",
                     with_thousands(line.step), cell(line, "valid_loss", loss_text),
                     cell(line, "valid_perplexity", perplexity_text), cell(line, "valid_bleu", bleu_text));
}

/// The table of validations, the newest first.
std::string validations(const std::vector<Metrics>& metrics) {
  const std::optional<CurvePoint> best = best_bleu(metrics);
  std::string rows;
  for (auto line = metrics.rbegin(); line != metrics.rend(); ++line) {
    if (!line->value("valid_loss") && !line->value("valid_bleu")) continue;
    rows += validation_row(*line, best && static_cast<double>(line->step) == best->step);
  }
  if (rows.empty()) return "<p class=\"note\">No validation yet.</p>\n";
  return fmt::format(
      "<div class=\"scroll\"><table>\n"
      "<thead><tr><th>Step</th><th>Loss</th><th>Perplexity</th><th>BLEU</th></tr></thead>\n"
      "<tbody>\n{}</tbody></table></div>\n",
      rows);
}

/// dir="auto" lets the browser find out the direction of the writing.
std::string sentence(std::string_view label, std::string_view text) {
  return fmt::format("<dt>{}</dt><dd dir=\"auto\">{}</dd>\n", label,
                     text.empty() ? "<span class=\"note\">(empty)</span>" : escaped_html(text));
}

std::string sample_translations(const std::vector<SampleTranslation>& samples) {
  if (samples.empty()) return "";
  std::string html = "<h2>Sample translations of the latest validation</h2>\n";
  for (const auto& [source, reference, translation] : samples) {
    html += fmt::format("<dl class=\"sample\">\n{}{}{}</dl>\n", sentence("Source", source),
                        sentence("Reference", reference), sentence("Translation", translation));
  }
  return html;
}

// The page.

HtmlParts summary(const std::vector<Metrics>& metrics) {
  const std::optional<CurvePoint> best = best_bleu(metrics);
  return {{"step", with_thousands(latest_step(metrics))},
          {"loss", latest_text(metrics, "loss", loss_text)},
          {"perplexity", latest_text(metrics, "perplexity", perplexity_text)},
          {"best_bleu", best ? bleu_text(best->value) : kMissing},
          {"best_step", best ? fmt::format("at step {}", count_text(best->step)) : "no validation yet"},
          {"tokens_per_second", latest_text(metrics, "target_tokens_per_second", count_text)},
          {"training_time", latest_text(metrics, "seconds", human_duration)}};
}

}  // namespace

std::string report_page(const ReportContents& contents) {
  HtmlParts parts = summary(contents.metrics);
  parts["title"] = escaped_html(contents.title);
  parts["style"] = kReportCss;
  parts["curves"] = figures(contents.metrics);
  parts["validations"] = validations(contents.metrics);
  parts["samples"] = sample_translations(contents.samples);
  parts["configuration"] = escaped_html(contents.config_text);
  return filled_template(kReportHtml, parts);
}

}  // namespace transformer
