#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace transformer {

/// One row of the paper's Table 2: BLEU on newstest2014 and training FLOPs, for English-German and English-French.
struct Table2Row {
  std::string_view name;    // "GNMT + RL"
  std::string_view config;  // file under configs/; empty for a system of others
  std::optional<double> bleu_en_de, bleu_en_fr;
  std::optional<double> training_flops_en_de, training_flops_en_fr;  // time x devices x sustained FLOP/s (§6.1)
};

/// One row of the paper's Table 3: English-German, newstest2013, perplexity per word piece.
struct Table3Row {
  std::string_view name;    // "base", "A h=1", ..., "big"
  std::string_view config;  // file under configs/: "table3/a_h1.yaml"
  std::optional<double> perplexity, bleu;
  std::optional<double> parameters_millions;  // missing in rows with the same number as base; Deviation D3
  std::optional<double> training_hours;       // on eight P100 (§5.2); the paper gives them for two rows
};

/// The paper's devices (§5.2, §6.1): their number, and the sustained floating-point operations per second of each.
inline constexpr int kPaperDevices = 8;
inline constexpr double kPaperSustainedFlops = 9.5e12;

/// All rows of both tables, in the paper's order.
const std::vector<Table2Row>& table2();
const std::vector<Table3Row>& table3();

}  // namespace transformer
