#include "reporting/attention_figure.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/utf8.h"
#include "reporting/html.h"

namespace transformer {
namespace {

constexpr int kRow = 20, kMargin = 16, kTitle = 40, kLines = 200, kGap = 8, kPanelGap = 32, kFontSize = 14;
constexpr float kMinWeight = 0.01f;  // fainter lines cannot be seen

/// Distinct for color-blind readers as well (Okabe and Ito), except black.
constexpr std::array kHeadColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#e69f00", "#56b4e9", "#7a5195", "#8c8c00"};

const char* color_of(int64_t head) { return kHeadColors[static_cast<size_t>(head - 1) % kHeadColors.size()]; }

/// The space that the words need. Chinese, Japanese and Korean characters are as wide as they are high.
int text_width(const std::vector<std::string>& words) {
  static constexpr double kWidth = 0.6;           // of other characters, on average, as a part of the font size
  static constexpr char32_t kFirstWide = 0x1100;  // Hangul Jamo
  double longest = 0;
  for (const auto& word : words) {
    double width = 0;
    for (const char32_t character : decode_utf8(word)) width += character < kFirstWide ? kWidth : 1;
    longest = std::max(longest, width);
  }
  return static_cast<int>(std::ceil(longest * kFontSize)) + kGap;
}

int row_middle(size_t row) { return kTitle + static_cast<int>(row) * kRow + kRow / 2; }

std::string words_svg(const std::vector<std::string>& words, int x, const char* anchor) {
  std::string svg;
  for (size_t i = 0; i < words.size(); ++i) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", x, row_middle(i) + 5, anchor,
                       escaped_html(words[i]));
  }
  return svg;
}

std::string lines_svg(const AttentionPanel::Head& head, size_t num_queries, size_t num_keys, int left) {
  std::string svg = fmt::format("<g stroke=\"{}\">\n", color_of(head.number));
  for (size_t query = 0; query < num_queries; ++query) {
    for (size_t key = 0; key < num_keys; ++key) {
      const float weight = head.weights[query * num_keys + key];
      if (weight < kMinWeight) continue;
      svg += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke-opacity=\"{:.2f}\"/>\n", left,
                         row_middle(query), left + kLines, row_middle(key), weight);
    }
  }
  return svg + "</g>\n";
}

/// The numbers of the heads in their colors.
std::string legend_svg(const AttentionPanel& panel, int x) {
  std::string svg;
  for (const auto& head : panel.heads) {
    svg += fmt::format("<tspan fill=\"{}\"> {}</tspan>", color_of(head.number), head.number);
  }
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-weight=\"bold\">{}, heads{}</text>\n", x,
                     kMargin + 6, escaped_html(panel.title), svg);
}

}  // namespace

std::string attention_figure_svg(const AttentionFigure& figure) {
  const int left = text_width(figure.queries), right = text_width(figure.keys);
  const int panel_width = left + kLines + right;
  const auto num_panels = static_cast<int>(figure.panels.size());
  const int width = 2 * kMargin + num_panels * panel_width + (num_panels - 1) * kPanelGap;
  const int height = row_middle(std::max(figure.queries.size(), figure.keys.size())) + kMargin;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"{2}\" fill=\"#222\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
      width, height, kFontSize);
  int x = kMargin;
  for (const AttentionPanel& panel : figure.panels) {
    const int lines_left = x + left, lines_right = lines_left + kLines;
    svg += legend_svg(panel, lines_left + kLines / 2);
    svg += words_svg(figure.queries, lines_left - kGap, "end") + words_svg(figure.keys, lines_right + kGap, "start");
    svg += "<g stroke-width=\"2.5\">\n";
    for (const auto& head : panel.heads) svg += lines_svg(head, figure.queries.size(), figure.keys.size(), lines_left);
    svg += "</g>\n";
    x += panel_width + kPanelGap;
  }
  return svg + "</svg>\n";
}

}  // namespace transformer
