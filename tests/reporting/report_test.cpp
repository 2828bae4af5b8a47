#include "reporting/report.h"

#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "count.h"

namespace transformer {
namespace {

using Catch::Contains;

MetricsLine training_line(int64_t step, double loss) {
  return {step,
          {{"loss", loss},
           {"perplexity", std::exp(loss)},
           {"learning_rate", 7e-4},
           {"target_tokens_per_second", 51234.6},
           {"seconds", 3725},
           {"memory_bytes", 1.25e9},
           {"devices", 2}}};
}

MetricsLine validation_line(int64_t step, double bleu) {
  return {step, {{"valid_loss", 2.25}, {"valid_perplexity", 9.49}, {"valid_bleu", bleu}}};
}

RunRecord run_of(const std::vector<MetricsLine>& metrics, const std::string& name = "base") {
  return {.name = name,
          .config_text = "model:\n  N: 6\n",
          .config_values = {{"model.N", "6"}, {"training.directory", name}},
          .train_steps = 4000,
          .facts = RunFacts{.status = RunStatus::running,
                            .updated = "2017-06-12 17:57:34 UTC",
                            .device = "GPU",
                            .threads = 4,
                            .devices = 2,
                            .parameters = 65'000'000},
          .metrics = metrics};
}

std::string page_of(const std::vector<MetricsLine>& metrics) { return report_page({run_of(metrics)}); }

/// The first tag that is not closed in the right order, or "" if all are.
std::string nesting_fault(std::string_view page) {
  std::vector<std::string> open;
  for (size_t at = page.find('<'); at != page.npos; at = page.find('<', at + 1)) {
    const std::string_view tag = page.substr(at, page.find('>', at) - at);
    const bool closes = tag.starts_with("</");
    const std::string name(tag.substr(closes ? 2 : 1, tag.find(' ') - (closes ? 2 : 1)));
    if (name == "!DOCTYPE" || name == "meta" || tag.ends_with('/')) continue;
    if (!closes) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return fmt::format("</{}>", name);
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : fmt::format("<{}>", open.back());
}

TEST_CASE("a report shows each validation set") {
  MetricsLine line = validation_line(200, 20.5);
  line.values.insert(line.values.end(), {{"valid_loss_news", 3.125}, {"valid_bleu_news", 12.75}});
  const std::string page = page_of({training_line(100, 2), line});
  CHECK(nesting_fault(page) == "");
  CHECK_THAT(page, Contains("<th>Loss of news</th><th>BLEU of news</th>") && Contains("<td>12.75</td>"));
  CHECK_THAT(page, Contains("validation of news <span") && Contains("</span>news <span"));
  CHECK_THAT(page, Contains("</span>first set <span"));
  const std::string two_runs = report_page({run_of({line}), run_of({line})});
  CHECK(count(two_runs, "<polyline class=\"curve dotted\"") == 2);  // the losses of news
}

TEST_CASE("a report without metrics says so and is complete HTML") {
  const std::string page = page_of({});
  CHECK(nesting_fault(page) == "");
  CHECK_THAT(page, Contains("No validation yet.") && Contains("Nothing yet."));
  CHECK(count(page, "<svg") == 0);
  CHECK_THAT(page, !Contains("nan") && !Contains("inf,"));
}

TEST_CASE("a report gives status, progress and device of the run") {
  const std::string page = page_of({training_line(1000, 3)});
  CHECK_THAT(page, Contains(">running</span>") && Contains("updated 2017-06-12 17:57:34 UTC"));
  CHECK_THAT(page, Contains("2 × GPU") && Contains("65,000,000 parameters"));
  CHECK_THAT(page, Contains(">1,000</div><div class=\"note\">of 4,000<") && Contains("width:25.0%"));
  CHECK_THAT(page, Contains(">1.2 GB<"));
}

TEST_CASE("a report of a run that ended before its last step shows it as complete") {
  RunRecord run = run_of({training_line(1000, 3)});
  run.facts->status = RunStatus::finished;
  CHECK_THAT(report_page({run}), Contains(">1,000</div><div class=\"note\">ended before 4,000<"));
}

TEST_CASE("a report is shown without facts if there is no run.json") {
  RunRecord run = run_of({{100, {{"loss", 3}}}});
  run.facts.reset();
  const std::string page = report_page({run}, /*refreshes=*/true);
  CHECK(nesting_fault(page) == "");
  CHECK_THAT(page, Contains("3.000 at step 100") && !Contains("badge running") && !Contains("refresh"));
}

TEST_CASE("a report reloads itself while its run is running") {
  RunRecord run = run_of({training_line(100, 3)});
  const std::string refresh = "http-equiv=\"refresh\"";
  CHECK_THAT(report_page({run}, /*refreshes=*/true), Contains(refresh));
  CHECK_THAT(report_page({run}, /*refreshes=*/false), !Contains(refresh));
  for (const RunStatus status : {RunStatus::finished, RunStatus::stopped, RunStatus::failed}) {
    run.facts->status = status;
    CHECK_THAT(report_page({run}, /*refreshes=*/true), !Contains(refresh));
  }
}

TEST_CASE("a report marks the validation that is the best by the run's training.best_by") {
  RunRecord run = run_of({{100, {{"valid_loss", 3}, {"valid_bleu", 20}, {"valid_chrf", 50}}},
                          {200, {{"valid_loss", 2}, {"valid_bleu", 19}, {"valid_chrf", 49}}},
                          {300, {{"valid_loss", 4}, {"valid_bleu", 18}, {"valid_chrf", 51}}}});
  const auto marks = [&](const std::string& best_by) {
    run.best_by = best_by;
    run.lower_is_better = best_by == "loss";
    return report_page({run}, /*refreshes=*/false);
  };
  CHECK_THAT(marks("loss"), Contains("<tr class=\"best\"><td>best 200</td>") &&
                                Contains("Best validation loss</div><div class=\"value\">2.000</div><div "
                                         "class=\"note\">at step 200"));
  CHECK_THAT(marks("bleu"), Contains("<tr class=\"best\"><td>best 100</td>"));
  CHECK_THAT(marks("chrf"), Contains("<tr class=\"best\"><td>best 300</td>") && Contains("<th>chrF</th>"));
}

TEST_CASE("a report shows chrF as it shows BLEU, if a run has measured it") {
  const RunRecord with_chrf = run_of({{100, {{"valid_loss", 3}, {"valid_bleu", 20}, {"valid_chrf", 51.5}}},
                                      {200, {{"valid_loss", 2}, {"valid_bleu", 19}, {"valid_chrf", 50}}}});
  const RunRecord without = run_of({{100, {{"valid_loss", 3}, {"valid_bleu", 20}}}});
  CHECK_THAT(report_page({with_chrf}), Contains("Best validation chrF</div><div class=\"value\">51.50") &&
                                           Contains("<figcaption>Validation chrF<"));
  CHECK_THAT(report_page({with_chrf, without}), Contains("Best validation chrF</th><td class=\"best\">51.50") &&
                                                    Contains("Latest validation chrF</th><td>50.00</td><td>–</td>"));
  CHECK_THAT(report_page({without}), !Contains("chrF"));
}

TEST_CASE("a report shows the lowest TER as the best, if a run has measured it") {
  const RunRecord run = run_of({{100, {{"valid_loss", 3}, {"valid_bleu", 20}, {"valid_ter", 61.5}}},
                                {200, {{"valid_loss", 2}, {"valid_bleu", 19}, {"valid_ter", 63}}}});
  CHECK_THAT(report_page({run}), Contains("Best validation TER</div><div class=\"value\">61.50") &&
                                     Contains("<figcaption>Validation TER<"));
}

TEST_CASE("a report gives the latest figures and the best validation BLEU with its step") {
  RunRecord run = run_of({training_line(1000, 3.5), validation_line(1000, 24.75), training_line(2000, 3.0),
                          validation_line(2000, 26.5), training_line(3000, 2.875), validation_line(3000, 26)});
  run.best_by = "bleu";
  run.lower_is_better = false;
  const std::string page = report_page({run}, /*refreshes=*/false);
  CHECK(nesting_fault(page) == "");
  CHECK_THAT(page, Contains(">3,000<") && Contains(">2.875<") && Contains("perplexity 17.73"));
  CHECK_THAT(page, Contains(">26.50</div><div class=\"note\">at step 2,000<"));
  CHECK_THAT(page, Contains(">51,235<") && Contains("1 h 02 min"));
  CHECK(count(page, "<tr class=\"best\"><td>best 2,000</td>") == 1);
  CHECK(count(page, "<tr") == 4);  // the heading and one row per validation
  CHECK(page.find("<td>3,000</td>") < page.find("<td>1,000</td>"));
}

TEST_CASE("a report draws a run with a single point of each curve, training and validation in one plot") {
  const std::string page = page_of({training_line(100, 0), validation_line(100, 0)});
  CHECK(nesting_fault(page) == "");
  CHECK(count(page, "<svg") == 6);
  CHECK(count(page, "<circle") == 8);  // two in the plots of loss and perplexity
  CHECK_THAT(page, !Contains("nan") && !Contains("-nan"));
}

TEST_CASE("a report draws values that differ only by rounding") {
  const std::string page = page_of({training_line(100, 5), training_line(200, std::nextafter(5.0, 6.0))});
  CHECK_THAT(page, Contains(">5.2</text>") && !Contains("nan") && !Contains("inf"));
}

TEST_CASE("a report leaves out values that are not finite") {
  const std::string page = page_of({training_line(100, 2.5),
                                    {200, {{"loss", std::nan("")}, {"learning_rate", 1e-4}}},
                                    {300, {{"valid_loss", std::nan("")}, {"valid_bleu", std::nan("")}}}});
  CHECK(nesting_fault(page) == "");
  CHECK_THAT(page, Contains("2.500 at step 100") && Contains("<td>–</td>") && !Contains(">nan"));
}

TEST_CASE("a report escapes texts") {
  RunRecord run = run_of({}, "<a> & \"b\"");
  run.config_text = "path: <x>";
  run.samples = {{100, {{"5 < 6 & so", "<script>alert(1)</script>", ""}}}};
  const std::string page = report_page({run});
  CHECK(nesting_fault(page) == "");
  CHECK_THAT(page, Contains("<title>&lt;a&gt; &amp; &quot;b&quot;</title>"));
  CHECK_THAT(page, Contains("5 &lt; 6 &amp; so") && Contains("path: &lt;x&gt;"));
  CHECK_THAT(page, Contains("(empty)") && !Contains("<script"));
}

TEST_CASE("a report refers to no other file") {
  const std::string page = page_of({training_line(100, 3), validation_line(100, 20)});
  CHECK_THAT(page, !Contains("http:") && !Contains("https:") && !Contains("<script") && !Contains("src=") &&
                       !Contains("url(") && !Contains("@import"));
}

TEST_CASE("a report of a long run stays small and ends at the latest point") {
  std::vector<MetricsLine> metrics;
  for (int64_t step = 1; step <= 20'000; ++step) metrics.push_back(training_line(step, 4));
  metrics.push_back(training_line(20'001, 3.25));
  const std::string page = page_of(metrics);
  CHECK(page.size() < 100'000);
  CHECK_THAT(page, Contains("3.250 at step 20,001</span>"));
  CHECK_THAT(page, Contains("542.0,"));  // the right edge of the plot
}

TEST_CASE("report curves have round ticks") {
  const std::string page = page_of(
      {training_line(1, 9.4), validation_line(1, 0.3), training_line(97'300, 1.7), validation_line(97'300, 26.2)});
  CHECK_THAT(page, Contains(">20,000</text>") && Contains(">80,000</text>") &&
                       !Contains(">100,000</text>"));                          // the axis ends at the latest step
  CHECK_THAT(page, Contains(">2</text>") && Contains(">8</text>"));            // loss
  CHECK_THAT(page, Contains(">10</text>") && Contains(">30</text>"));          // BLEU
  CHECK_THAT(page, Contains(">0.0002</text>") && Contains(">0.0008</text>"));  // learning rate
  CHECK_THAT(page, Contains(">0.5</text>") && Contains(">1.5</text>"));        // memory in GB
}

TEST_CASE("a report's perplexity axis is logarithmic if the values differ by more than a factor of 10") {
  const std::string page = page_of(
      {{1000, {{"valid_perplexity", 4200}}}, {2000, {{"valid_perplexity", 310}}}, {3000, {{"valid_perplexity", 5.5}}}});
  CHECK(nesting_fault(page) == "");
  CHECK_THAT(page, Contains(">10</text>") && Contains(">100</text>") && Contains(">1,000</text>"));
}

TEST_CASE("a report shows a run that has diverged") {
  const std::string page = page_of({training_line(100, 4), {200, {{"loss", 2.5e12}, {"perplexity", 1.7e308}}}});
  CHECK(nesting_fault(page) == "");
  CHECK_THAT(page, Contains("2.50e+12 at step 200") && Contains("perplexity 1.70e+308"));
  CHECK_THAT(page, Contains(">2e+12</text>") && !Contains("nan") && !Contains("inf,"));
  CHECK(count(page, "<text") < 100);
}

TEST_CASE("a report shows how the translation of a sentence changes, with equal successive ones together") {
  RunRecord run = run_of({});
  const auto at = [](int64_t step, const std::string& translation) {
    return ValidationSamples{step, {{"the cat", "die Katze", translation}}};
  };
  run.samples = {at(100, "die"), at(200, "Katze"), at(300, "Katze"), at(400, "Katze"), at(500, "die Katze")};
  const std::string page = report_page({run});
  CHECK(nesting_fault(page) == "");
  CHECK(count(page, "the cat") == 1);
  CHECK_THAT(page, Contains("<dt>500</dt><dd dir=\"auto\" class=\"exact\">die Katze</dd>\n"
                            "<dt>200–400</dt><dd dir=\"auto\">Katze</dd>\n"
                            "<dt>100</dt><dd dir=\"auto\">die</dd>"));
}

TEST_CASE("a report of several runs has a curve of each in every plot and marks the best figures") {
  RunRecord one = run_of({training_line(1000, 3), validation_line(1000, 20)}, "runs/one");
  RunRecord two = run_of({training_line(2000, 2.5), validation_line(2000, 26)}, "runs/two");
  two.metrics.back().values[0].second = 2;  // the validation loss
  one.samples = {{1000, {{"the cat", "die Katze", "Katze"}}}};
  two.samples = {{1000, {{"the cat", "die Katze", "die"}}}, {2000, {{"the cat", "die Katze", "die Katze"}}}};
  const std::string page = report_page({one, two});
  CHECK(nesting_fault(page) == "");
  CHECK_THAT(page, Contains("<title>Comparison of 2 runs</title>"));
  CHECK(count(page, "<svg") == 6);
  CHECK(count(page, "<polyline") == 16);
  CHECK(count(page, "<polyline class=\"curve dashed\"") == 4);  // validation beside training, of two plots and runs
  CHECK(count(page, "</span>runs/one <span") == 4);             // legends of the plots with one key
  CHECK_THAT(page, Contains("</span>runs/two, validation <span class=\"note\">2.000 at step 2,000<"));
  CHECK_THAT(page, Contains("<td class=\"best\">2.000 <span class=\"note\">at 2,000</span></td>"));
  CHECK_THAT(page, Contains("<td class=\"best\">26.00 <span class=\"note\">at 2,000</span></td>"));
  CHECK_THAT(page, Contains("<td>20.00 <span class=\"note\">at 1,000</span></td>"));
  CHECK_THAT(page, Contains("<dt>runs/one, step 1,000</dt><dd dir=\"auto\">Katze</dd>\n"
                            "<dt>runs/two, step 2,000</dt><dd dir=\"auto\" class=\"exact\">die Katze</dd>"));
}

TEST_CASE("a report of several runs lists the keys of the config that differ, except for the run directory") {
  RunRecord one = run_of({}, "one"), two = run_of({}, "two");
  CHECK_THAT(report_page({one, two}), Contains("These runs have the same config."));
  two.config_values[0].second = "2";
  const std::string page = report_page({one, two});
  CHECK(nesting_fault(page) == "");
  CHECK_THAT(page, Contains("<tr><th scope=\"row\">model.N</th><td>6</td><td>2</td></tr>"));
  CHECK_THAT(page, Contains("These runs have different configs") && !Contains("training.directory"));
}

}  // namespace
}  // namespace transformer
