#pragma once

#include <string>

#include "base/atomic_file.h"
#include "base/make_directory.h"
#include "config/config.h"

namespace transformer {

/// Writes a run directory as `train` leaves it: with its resolved config and, unless it is empty, the text of
/// metrics.jsonl.
inline void write_run(const std::string& path, const Config& config, const std::string& metrics) {
  make_directory(path);
  write_file_atomically(path + "/config.yaml", dump_config(config));
  if (!metrics.empty()) write_file_atomically(path + "/metrics.jsonl", metrics);
}

}  // namespace transformer
