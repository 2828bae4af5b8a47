#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

namespace transformer {

// Each adds one sub-command to `benchmark`.
void add_benchmark_attention(CLI::App& benchmark);
void add_benchmark_train(CLI::App& benchmark);

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace transformer
