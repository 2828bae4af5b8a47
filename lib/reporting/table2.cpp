#include "reporting/table2.h"

namespace transformer {

const std::vector<Table2Row>& table2() {
  static const std::vector<Table2Row> rows = {
      {"ByteNet", "", 23.75, {}, {}, {}},
      {"Deep-Att + PosUnk", "", {}, 39.2, {}, 1.0e20},
      {"GNMT + RL", "", 24.6, 39.92, 2.3e19, 1.4e20},
      {"ConvS2S", "", 25.16, 40.46, 9.6e18, 1.5e20},
      {"MoE", "", 26.03, 40.56, 2.0e19, 1.2e20},
      {"Deep-Att + PosUnk Ensemble", "", {}, 40.4, {}, 8.0e20},
      {"GNMT + RL Ensemble", "", 26.30, 41.16, 1.8e20, 1.1e21},
      {"ConvS2S Ensemble", "", 26.36, 41.29, 7.7e19, 1.2e21},
      {"Transformer (base model)", "base.yaml", 27.3, 38.1, 3.3e18, 3.3e18},
      {"Transformer (big)", "big.yaml", 28.4, 41.8, 2.3e19, 2.3e19},
  };
  return rows;
}

}  // namespace transformer
