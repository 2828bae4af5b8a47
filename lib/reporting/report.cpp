#include "reporting/report.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/format.h"
#include "reporting/curve.h"

namespace transformer {
namespace {

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --page: #fafaf8; --card: #ffffff; --text: #1b1b1a;
  --muted: #63625e; --line: #e3e2dd; --curve: #2a6fc9; --best: #e4eefb; }
@media (prefers-color-scheme: dark) {
  :root { --page: #161615; --card: #1f1f1e; --text: #f2f1ec; --muted: #a9a8a0; --line: #383733;
    --curve: #5b9bea; --best: #213247; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 24px 20px 48px; }
h1 { font-size: 26px; margin: 0 0 16px; overflow-wrap: anywhere; }
h2 { font-size: 18px; margin: 32px 0 12px; }
.note, .label { color: var(--muted); }
p.note { margin: 0; }
.tiles, .charts { display: grid; gap: 12px; }
.tiles { grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); }
.charts { grid-template-columns: repeat(auto-fit, minmax(min(460px, 100%), 1fr)); }
.tile, figure, .sample, .scroll, details { background: var(--card); border: 1px solid var(--line);
  border-radius: 8px; margin: 0; padding: 12px 16px; }
.tile .label, .tile .note, figcaption .note { font-size: 13px; }
.tile .value { font-size: 24px; font-weight: 600; }
figcaption { display: flex; justify-content: space-between; gap: 12px; font-weight: 600; }
figcaption .note { font-weight: 400; }
svg { display: block; width: 100%; height: auto; margin-top: 8px; }
svg text { fill: var(--muted); font-size: 12px; }
.grid { stroke: var(--line); }
.curve { fill: none; stroke: var(--curve); stroke-width: 2; stroke-linejoin: round; }
.mark { fill: var(--curve); stroke: var(--card); stroke-width: 1.5; }
.scroll { overflow: auto; max-height: 420px; padding: 0; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 6px 16px; text-align: right; border-bottom: 1px solid var(--line); }
tr:last-child td { border-bottom: 0; }
th { position: sticky; top: 0; background: var(--card); color: var(--muted); font-weight: 500; }
tr.best td { background: var(--best); font-weight: 600; }
.sample { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 16px;
  margin-bottom: 10px; }
.sample dt { color: var(--muted); }
.sample dd { margin: 0; overflow-wrap: anywhere; }
details { margin-top: 32px; }
summary { cursor: pointer; font-weight: 600; }
pre { overflow: auto; font: 13px/1.5 ui-monospace, monospace; }
)css";

std::string escaped(std::string_view text) {
  std::string html;
  html.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

// How each kind of figure is written.

constexpr char kMissing[] = "–";

std::string loss_text(double value) { return fixed(value, 3); }
std::string bleu_text(double value) { return fixed(value, 2); }
std::string rate_text(double value) { return scientific(value, 3); }
std::string count_text(double value) { return with_thousands(std::llround(value)); }
std::string perplexity_text(double value) { return value < 1000 ? fixed(value, 2) : count_text(value); }

using NumberFormat = std::string (*)(double);

// What the metrics hold.

/// The finite numbers called `key`, in the order of the lines.
std::vector<CurvePoint> points_of(const std::vector<Metrics>& metrics, std::string_view key) {
  std::vector<CurvePoint> points;
  for (const Metrics& line : metrics) {
    const std::optional<double> value = line.value(key);
    if (value && std::isfinite(*value)) points.push_back({static_cast<double>(line.step), *value});
  }
  return points;
}

/// At most about kMaxPoints points: each the mean of its neighbours, and the latest as it is.
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
    return concat("<figure><figcaption>", curve.title, "</figcaption><p class=\"note\">Nothing yet.</p></figure>\n");
  }
  return concat("<figure><figcaption><span>", curve.title, "</span><span class=\"note\">",
                at_step(curve, points.back()), "</span></figcaption>\n",
                curve_picture(curve, points, latest_step(metrics)), "</figure>\n");
}

std::string curves(const std::vector<Metrics>& metrics) {
  std::string html = "<h2>Curves</h2>\n<div class=\"charts\">\n";
  for (const MetricCurve& curve : kCurves) html += figure(curve, metrics);
  return html + "</div>\n";
}

// The page's other parts.

std::string tile(std::string_view label, std::string_view value, std::string_view note) {
  return concat("<div class=\"tile\"><div class=\"label\">", label, "</div><div class=\"value\">", value,
                "</div><div class=\"note\">", note, "</div></div>\n");
}

std::string summary(const std::vector<Metrics>& metrics) {
  const std::optional<CurvePoint> best = best_bleu(metrics);
  return concat("<div class=\"tiles\">\n", tile("Step", with_thousands(latest_step(metrics)), ""),
                tile("Training loss", latest_text(metrics, "loss", loss_text),
                     concat("perplexity ", latest_text(metrics, "perplexity", perplexity_text))),
                tile("Best validation BLEU", best ? bleu_text(best->value) : kMissing,
                     best ? concat("at step ", count_text(best->step)) : "no validation yet"),
                tile("Target tokens per second", latest_text(metrics, "target_tokens_per_second", count_text), ""),
                tile("Training time", latest_text(metrics, "seconds", human_duration), ""), "</div>\n");
}

std::string cell(const Metrics& line, std::string_view key, NumberFormat format) {
  const double value = line.value(key).value_or(NAN);
  return concat("<td>", std::isfinite(value) ? format(value) : kMissing, "</td>");
}

std::string validation_row(const Metrics& line, bool best) {
  return concat("<tr", best ? " class=\"best\"" : "", "><td>", best ? "best " : "", with_thousands(line.step), "</td>",
                cell(line, "valid_loss", loss_text), cell(line, "valid_perplexity", perplexity_text),
                cell(line, "valid_bleu", bleu_text), "</tr>\n");
}

/// The newest validation first.
std::string validations(const std::vector<Metrics>& metrics) {
  const std::optional<CurvePoint> best = best_bleu(metrics);
  std::string rows;
  for (auto line = metrics.rbegin(); line != metrics.rend(); ++line) {
    if (!line->value("valid_loss") && !line->value("valid_bleu")) continue;
    rows += validation_row(*line, best && static_cast<double>(line->step) == best->step);
  }
  if (rows.empty()) return "<h2>Validations</h2>\n<p class=\"note\">No validation yet.</p>\n";
  return concat("<h2>Validations</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th>Step</th>",
                "<th>Loss</th><th>Perplexity</th><th>BLEU</th></tr></thead>\n<tbody>\n", rows,
                "</tbody></table></div>\n");
}

/// The browser finds out by itself which way the text runs.
std::string sentence(std::string_view label, std::string_view text) {
  return concat("<dt>", label, "</dt><dd dir=\"auto\">",
                text.empty() ? "<span class=\"note\">(empty)</span>" : escaped(text), "</dd>\n");
}

std::string sample_translations(const std::vector<SampleTranslation>& samples) {
  if (samples.empty()) return "";
  std::string html = "<h2>Sample translations of the latest validation</h2>\n";
  for (const auto& [source, reference, translation] : samples) {
    html += concat("<dl class=\"sample\">\n", sentence("Source", source), sentence("Reference", reference),
                   sentence("Translation", translation), "</dl>\n");
  }
  return html;
}

std::string configuration(std::string_view config_text) {
  return concat("<details><summary>Configuration</summary>\n<pre>", escaped(config_text), "</pre></details>\n");
}

std::string head(std::string_view title) {
  return concat("<head>\n<meta charset=\"utf-8\">\n",
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n", "<title>", escaped(title),
                "</title>\n<style>", kStyle, "</style>\n</head>\n");
}

}  // namespace

std::string report_page(const ReportContents& contents) {
  return concat("<!DOCTYPE html>\n<html lang=\"en\">\n", head(contents.title), "<body>\n<main>\n", "<h1>",
                escaped(contents.title), "</h1>\n", summary(contents.metrics), curves(contents.metrics),
                validations(contents.metrics), sample_translations(contents.samples),
                configuration(contents.config_text), "</main>\n</body>\n</html>\n");
}

}  // namespace transformer
