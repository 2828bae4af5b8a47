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

Metrics training_line(int64_t step, double loss) {
  return {step,
          {{"loss", loss},
           {"perplexity", std::exp(loss)},
           {"learning_rate", 7e-4},
           {"target_tokens_per_second", 51234.6},
           {"seconds", 3725}}};
}

Metrics validation_line(int64_t step, double bleu) {
  return {step, {{"valid_loss", 2.25}, {"valid_perplexity", 9.49}, {"valid_bleu", bleu}}};
}

std::string page_of(const std::vector<Metrics>& metrics) {
  return report_page({"base", "model:\n  N: 6\n", metrics, {}});
}

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

TEST_CASE("a report without metrics says so and is complete HTML") {
  const std::string page = page_of({});
  CHECK(nesting_fault(page) == "");
  CHECK_THAT(page, Contains("No validation yet.") && Contains("Nothing yet."));
  CHECK(count(page, "<svg") == 0);
  CHECK_THAT(page, !Contains("nan") && !Contains("inf,"));
}

TEST_CASE("a report gives the latest figures and the best validation BLEU with its step") {
  const std::string page =
      page_of({training_line(1000, 3.5), validation_line(1000, 24.75), training_line(2000, 3.0),
               validation_line(2000, 26.5), training_line(3000, 2.875), validation_line(3000, 26)});
  CHECK(nesting_fault(page) == "");
  CHECK_THAT(page, Contains(">3,000<") && Contains(">2.875<") && Contains("perplexity 17.73"));
  CHECK_THAT(page, Contains(">26.50</div><div class=\"note\">at step 2,000<"));
  CHECK_THAT(page, Contains(">51,235<") && Contains("1 h 02 min"));
  CHECK(count(page, "<tr class=\"best\"><td>best 2,000</td>") == 1);
  CHECK(count(page, "<tr") == 4);  // the heading and one row per validation
  CHECK(page.find("<td>3,000</td>") < page.find("<td>1,000</td>"));
}

TEST_CASE("a report draws a run with a single point of each curve") {
  const std::string page = page_of({training_line(100, 0), validation_line(100, 0)});
  CHECK(nesting_fault(page) == "");
  CHECK(count(page, "<svg") == 4);
  CHECK(count(page, "<circle") == 4);
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
  const std::string page =
      report_page({"<a> & \"b\"", "path: <x>", {}, {{"5 < 6 & so", "<script>alert(1)</script>", ""}}});
  CHECK(nesting_fault(page) == "");
  CHECK_THAT(page, Contains("<title>&lt;a&gt; &amp; &quot;b&quot;</title>"));
  CHECK_THAT(page, Contains("5 &lt; 6 &amp; so") && Contains("path: &lt;x&gt;"));
  CHECK_THAT(page, Contains("(empty)") && !Contains("<script"));
}

TEST_CASE("a report refers to no other file") {
  const std::string page = page_of({training_line(100, 3), validation_line(100, 20)});
  CHECK_THAT(page, !Contains("http") && !Contains("<script") && !Contains("src=") && !Contains("url(") &&
                       !Contains("@import"));
}

TEST_CASE("a report of a long run stays small and ends at the latest point") {
  std::vector<Metrics> metrics;
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
}

TEST_CASE("a report's perplexity axis is logarithmic if the values differ by more than a factor of 10") {
  const std::string page = page_of(
      {{1000, {{"valid_perplexity", 4200}}}, {2000, {{"valid_perplexity", 310}}}, {3000, {{"valid_perplexity", 5.5}}}});
  CHECK(nesting_fault(page) == "");
  CHECK_THAT(page, Contains(">10</text>") && Contains(">100</text>") && Contains(">1,000</text>"));
}

}  // namespace
}  // namespace transformer
