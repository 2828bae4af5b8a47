#include "paper_tables/paper_tables.h"

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

const std::vector<Table3Row>& table3() {
  static const std::vector<Table3Row> rows = {
      {"base", "base.yaml", 4.92, 25.8, 65, 12},
      {"A h=1", "table3/a_h1.yaml", 5.29, 24.9, {}, {}},
      {"A h=4", "table3/a_h4.yaml", 5.00, 25.5, {}, {}},
      {"A h=16", "table3/a_h16.yaml", 4.91, 25.8, {}, {}},
      {"A h=32", "table3/a_h32.yaml", 5.01, 25.4, {}, {}},
      {"B d_k=16", "table3/b_d_k16.yaml", 5.16, 25.1, 58, {}},
      {"B d_k=32", "table3/b_d_k32.yaml", 5.01, 25.4, 60, {}},
      {"C N=2", "table3/c_N2.yaml", 6.11, 23.7, 36, {}},
      {"C N=4", "table3/c_N4.yaml", 5.19, 25.3, 50, {}},
      {"C N=8", "table3/c_N8.yaml", 4.88, 25.5, 80, {}},
      {"C d_model=256", "table3/c_d_model256.yaml", 5.75, 24.5, 28, {}},
      {"C d_model=1024", "table3/c_d_model1024.yaml", 4.66, 26.0, 168, {}},
      {"C d_ff=1024", "table3/c_d_ff1024.yaml", 5.12, 25.4, 53, {}},
      {"C d_ff=4096", "table3/c_d_ff4096.yaml", 4.75, 26.2, 90, {}},
      {"D P_drop=0.0", "table3/d_P_drop0.0.yaml", 5.77, 24.6, {}, {}},
      {"D P_drop=0.2", "table3/d_P_drop0.2.yaml", 4.95, 25.5, {}, {}},
      {"D eps_ls=0.0", "table3/d_eps_ls0.0.yaml", 4.67, 25.3, {}, {}},
      {"D eps_ls=0.2", "table3/d_eps_ls0.2.yaml", 5.47, 25.7, {}, {}},
      {"E learned positions", "table3/e_learned_positions.yaml", 4.92, 25.7, {}, {}},
      {"big", "big.yaml", 4.33, 26.4, 213, 84},
  };
  return rows;
}

}  // namespace transformer
