#pragma once

#include <cstdint>
#include <string>

#include "config/config.h"
#include "distributed/rank_timeouts.h"

namespace transformer {

/// What the command `train` is asked to do.
struct TrainingTask {
  ConfigSource config;
  std::string device = "auto";  // see select_device
  int threads = 0;              // of the CPU; 0: one for each core, which the ranks of a machine share
  int devices = 1;              // ranks to launch on this machine
  RankTimeouts timeouts;
  bool overwrite = false;           // remove the run in the run directory first, unless a launcher restarts the ranks
  int64_t verify_resume_steps = 0;  // if positive, verify_resume with this number of steps takes the place of training
};

/// Trains as a single process, as one rank of several if torchrun, srun or `launch_ranks` started this process, or
/// launches `devices` ranks and waits for them. Throws Error, or ReportedFailure if another process has
/// reported why training failed.
void run_training(const TrainingTask& task);

}  // namespace transformer
