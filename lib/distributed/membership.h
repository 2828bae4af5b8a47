#pragma once

#include <string>

namespace transformer {

/// The rank of this process in the world of processes that train together, and the address of their store.
struct Membership {
  static constexpr int kUnknown = -1;  // until the ranks have found each other (count_local_ranks)

  int rank = 0, world_size = 1;              // among all machines
  int local_rank = 0, local_world_size = 1;  // on this machine; kUnknown if the launcher does not say it
  std::string address = "127.0.0.1";         // of the store through which the ranks find each other
  int port = 0;
  bool launcher_has_store = false;  // otherwise rank 0 opens the store
  bool is_srun_task = false;        // has cores of its own, and with --gpus-per-task=1 sees its own GPU only
  std::string job{};                // of srun, whose jobs may find each other's stores; empty for other launchers
  int attempt = 0;                  // number of times that the launcher has restarted this rank
  int threads = 0;                  // of each rank, by OMP_NUM_THREADS or srun's --cpus-per-task; 0: not set

  bool is_alone() const { return world_size == 1; }
};

/// Reads the environment variables of torchrun (RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR,
/// MASTER_PORT), those of an MPI (Open MPI, MVAPICH2, or the PMI of MPICH and Intel MPI), or those of srun
/// (SLURM_PROCID, SLURM_NTASKS, ...), and for the threads OMP_NUM_THREADS, or SLURM_CPUS_PER_TASK up to the number of
/// processors to which the task is bound. Without them, returns a world of one rank. Throws UsageError if a variable
/// that is needed is missing, if one is out of its range, such as a RANK that is not below WORLD_SIZE, or if variables
/// of torchrun and of an MPI contradict each other.
Membership find_membership();

}  // namespace transformer
