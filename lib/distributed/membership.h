#pragma once

#include <string>

namespace transformer {

/// Where this process stands among those that train together, and where they meet.
struct Membership {
  int rank = 0, size = 1;              // of all
  int local_rank = 0, local_size = 1;  // on this machine
  std::string address = "127.0.0.1";   // of the store through which ranks find each other
  int port = 0;
  bool launcher_has_store = false;  // else rank 0 has it
  int attempt = 0;                  // how often the launcher has begun anew

  bool is_alone() const { return size == 1; }
};

/// From the variables of torchrun (RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT) or of srun
/// (SLURM_PROCID, SLURM_NTASKS, ...); a world of one where there are none. Throws UsageError where they do not fit
/// together.
Membership find_membership();

/// Whether a launcher has started this process as one rank of several.
bool is_launched();

/// This machine's name, for messages.
std::string host_name();

}  // namespace transformer
