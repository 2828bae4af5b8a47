#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace transformer {

/// The heads of one layer, drawn as in the paper's Figures 3 to 5.
struct AttentionPanel {
  struct Head {
    int64_t number;              // from 1
    std::vector<float> weights;  // [queries, keys]
  };

  std::string title;
  std::vector<Head> heads;
};

struct AttentionFigure {
  std::vector<std::string> queries, keys;  // the words
  std::vector<AttentionPanel> panels;      // beside one another
};

/// An SVG picture that needs no other file: in each panel the queries stand on the left, the keys on the right, joined
/// by lines of one color for each head, whose opacity is the weight.
std::string attention_figure_svg(const AttentionFigure& figure);

}  // namespace transformer
