#pragma once

#include <optional>
#include <string>
#include <vector>

namespace transformer {

/// --configs, --run and --sustained-tflops.
struct Table3Options {
  std::string configs = "configs";
  std::vector<std::string> runs;
  std::optional<double> sustained_tflops;
};
/// Prints Table 3 to stdout: the paper's columns beside ours, which come from the configs and, as far as training went,
/// from the run directories. A run that is no row of the table gets a row of its own. Throws Error where a directory is
/// missing.
void print_table3(const Table3Options& options, const std::vector<std::string>& overrides, bool json);

}  // namespace transformer
