#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/enum_names.h"
#include "text/source_and_target.h"

namespace transformer {

enum class RunStatus { running, finished, stopped, failed };

template <>
struct EnumNames<RunStatus> {
  static constexpr std::array names = {"running", "finished", "stopped", "failed"};
};

/// The contents of run.json: status, device and sizes of a run, which are neither in its config nor in its metrics.
struct RunFacts {
  RunStatus status = RunStatus::running;
  std::string updated{};  // when the file was last written, see utc_time
  std::string device;     // name of rank 0's processor or GPU
  int64_t threads = 0;    // CPU threads of rank 0
  int64_t devices = 0;    // number of ranks
  int64_t parameters = 0;
  VocabularySizes vocabularies = 0;
};

/// Writes the file as a JSON object with the names of the members as keys; the sizes of the vocabularies are
/// `vocabulary_size` (of the target or of both sides) and, if they are separate, `source_vocabulary_size`.
void write_run_facts(const std::string& path, const RunFacts& facts);

/// Throws Error if the file cannot be read, DamagedFile if it is not of the form that `write_run_facts` writes.
RunFacts read_run_facts(const std::string& path);

}  // namespace transformer
