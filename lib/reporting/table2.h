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
  std::optional<double> training_flops_en_de, training_flops_en_fr;  // time x devices x sustained FLOPS (§6.1)
};

/// All rows, in the paper's order.
const std::vector<Table2Row>& table2();

}  // namespace transformer
