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

TEST_CASE("attention figure: Chinese and Japanese words have the space that their wide characters need") {
  const auto width_of = [](const std::string& word) {
    const std::string svg =
        attention_figure_svg({.queries = {word}, .keys = {"a"}, .panels = {{"layer 1", {{1, {1}}}}}});
    const size_t width = svg.find("width=\"");
    REQUIRE(width != std::string::npos);
    return std::stoi(svg.substr(width + 7));
  };
  CHECK(width_of("ääää") == width_of("aaaa"));
  CHECK(width_of("猫が好き") >= width_of("aaaa") + 4 * 5);  // 14 pixels each instead of 8.4
}

}  // namespace transformer
