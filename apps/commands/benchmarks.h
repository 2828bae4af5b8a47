#pragma once

#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <vector>

namespace transformer {

// Each adds one sub-command to `benchmark`.
void add_benchmark_attention(CLI::App& benchmark);
void add_benchmark_train(CLI::App& benchmark);
void add_benchmark_translate(CLI::App& benchmark);

/// The most memory that this process has had.
inline int64_t peak_process_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{1024} * usage.ru_maxrss;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace transformer
