#include "reporting/attention_figure.h"

#include "catch.h"
#include "count.h"

namespace transformer {
TEST_CASE("attention figure: words, and a line for each weight that can be seen") {
  const std::string svg = attention_figure_svg(
      {.queries = {"the", "<s>"},
       .keys = {"das", "R&D", "ß"},
       .panels = {{"layer 5", {{1, {0.5F, 0.5F, 0.0F, 0.001F, 0.0F, 0.999F}}, {4, {1, 0, 0, 0, 1, 0}}}},
                  {"layer 6", {{1, {0, 0, 1, 0, 0, 1}}}}}});
  CHECK(svg.starts_with("<svg "));
  CHECK(count(svg, "<line ") == 3 + 2 + 2);
  CHECK(count(svg, "stroke-opacity=\"0.50\"") == 2);
  CHECK(count(svg, ">R&amp;D</text>") == 2);
  CHECK(count(svg, ">&lt;s&gt;</text>") == 2);
  CHECK(count(svg, "layer 5, heads") == 1);
  CHECK(count(svg, "layer 6, heads") == 1);
}

}  // namespace transformer
