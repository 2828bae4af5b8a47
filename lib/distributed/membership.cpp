#include "distributed/membership.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "base/parse_number.h"
#include "platform/device.h"

namespace transformer {
namespace {

constexpr int kMaxRanks = 1 << 20, kMaxPort = 65535, kMaxThreads = 1 << 16;
constexpr int kDefaultPort = 29500;  // of MPI, and the first of srun's, unless MASTER_PORT says otherwise
constexpr int kSlurmPorts = 3000;    // srun's end below 32768, where Linux begins to choose ports by itself

/// The variables by which a launcher describes a rank.
struct RankVariables {
  const char *rank, *world_size, *local_rank, *local_world_size;
};

constexpr RankVariables kTorchrun = {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
/// MPI libraries, of which a process may have the variables of several: mpirun of Open MPI and of MVAPICH2 may be
/// started by a launcher that sets PMI's, which then describe mpirun's own daemons.
constexpr std::array kMpi = {RankVariables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                                           "OMPI_COMM_WORLD_LOCAL_SIZE"},
                             RankVariables{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK",
                                           "MV2_COMM_WORLD_LOCAL_SIZE"},
                             RankVariables{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"}};

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

/// The variable as a number from `min` to `max`. Throws UsageError; `reason` of the limits is a part of its message.
int number(const char* name, int min, int max, const std::string& reason = "") {
  const auto text = variable(name);
  if (!text) throw UsageError("the environment variable {} is missing; start all ranks with one launcher", name);
  const auto value = parse_number<int>(*text);
  if (!value || *value < min || *value > max) {
    throw UsageError("the environment variable {} must be from {} to {}, got '{}'{}", name, min, max, *text, reason);
  }
  return *value;
}

/// `fallback` if the variable is not set.
int number_or(const char* name, int min, int max, int fallback) {
  return variable(name) ? number(name, min, max) : fallback;
}

/// The first number of OMP_NUM_THREADS; 0 if there is none.
int omp_threads() {
  const std::string text = variable("OMP_NUM_THREADS").value_or("");
  int threads = 0;
  std::from_chars(text.data(), text.data() + text.size(), threads);
  return std::max(threads, 0);
}

/// torchrun's users set OMP_NUM_THREADS for each rank; torchrun itself sets 1. Without torchrun, for example with
/// --devices, it is the user's setting for the whole command, which the ranks share.
int omp_threads_of_rank(int local_world_size) {
  const int threads = omp_threads();
  if (variable("TORCHELASTIC_RUN_ID")) return threads == 1 ? 0 : threads;
  return threads == 0 ? 0 : std::max(1, threads / std::max(1, local_world_size));
}

/// The rank's place in the world by these variables. Those about this machine may be missing.
Membership place_of(const RankVariables& names) {
  Membership m;
  m.world_size = number(names.world_size, 1, kMaxRanks);
  const std::string by_world = fmt::format(", because {} is {}", names.world_size, m.world_size);
  m.rank = number(names.rank, 0, m.world_size - 1, by_world);
  if (m.is_alone()) return m;
  m.local_rank = m.local_world_size = Membership::kUnknown;
  const bool has_size = variable(names.local_world_size).has_value();
  if (has_size) m.local_world_size = number(names.local_world_size, 1, m.world_size, by_world);
  const int most = has_size ? m.local_world_size : m.world_size;
  if (variable(names.local_rank)) {
    m.local_rank = number(names.local_rank, 0, most - 1,
                          has_size ? fmt::format(", because {} is {}", names.local_world_size, most) : by_world);
  } else if (m.local_world_size == 1) {
    m.local_rank = 0;
  }
  return m;
}

/// The variables of the MPI library that has started this process; nullptr if none has.
const RankVariables* find_mpi() {
  const auto found =
      std::find_if(kMpi.begin(), kMpi.end(), [](const RankVariables& names) { return variable(names.rank); });
  return found == kMpi.end() ? nullptr : &*found;
}

/// Of two variables with the same meaning the one that is set. Throws UsageError if both are, with different values.
const char* one_of(const char* name, const char* other) {
  const auto value = variable(name), other_value = variable(other);
  if (!value) return other_value ? other : name;
  if (other_value && *value != *other_value) {
    throw UsageError(
        "the environment variables {} ('{}') and {} ('{}') contradict each other; unset those that do not describe "
        "this rank",
        name, *value, other, *other_value);
  }
  return name;
}

/// Whether torchrun or --devices has started this rank, whatever started torchrun or the program.
bool is_from_agent() { return variable("TORCHELASTIC_RUN_ID") || variable("TORCHELASTIC_USE_AGENT_STORE"); }

/// torchrun's variables, and where wrappers of mpirun have left some of them out, those of the MPI. Ranks that torchrun
/// or --devices starts within a process of an MPI are not the MPI's.
RankVariables torchrun_variables() {
  const RankVariables* mpi = find_mpi();
  if (mpi == nullptr || is_from_agent()) return kTorchrun;
  return {one_of(kTorchrun.rank, mpi->rank), one_of(kTorchrun.world_size, mpi->world_size),
          one_of(kTorchrun.local_rank, mpi->local_rank), one_of(kTorchrun.local_world_size, mpi->local_world_size)};
}

/// The name of Slurm's variable for the step, or for the job if there is none: the step of an interactive job has fewer
/// tasks than the job.
const char* of_step_or_job(const char* step, const char* job) { return variable(step) ? step : job; }

const char* num_tasks_variable() { return of_step_or_job("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"); }

/// A batch script has the variables of the job too; only srun sets the step's.
bool is_from_slurm() { return variable("SLURM_PROCID") && variable("SLURM_STEP_ID"); }

/// Whether srun's variables describe the same rank. srun may set PMI's, too; where it has started the daemons of mpirun
/// or torchrun, its variables describe these.
bool is_same_task(const RankVariables& names) {
  return is_from_slurm() && variable(names.rank) == variable("SLURM_PROCID") &&
         variable(names.world_size) == variable(num_tasks_variable());
}

Membership from_torchrun() {
  const RankVariables names = torchrun_variables();
  if (is_from_slurm() && !is_from_agent() && find_mpi() == nullptr &&
      variable(names.world_size) == variable(num_tasks_variable())) {
    one_of(names.rank, "SLURM_PROCID");  // a script for srun sets torchrun's variables to those of the task
  }
  Membership m = place_of(names);
  if (m.local_rank == Membership::kUnknown && is_same_task(names)) {
    m.local_rank = number_or("SLURM_LOCALID", 0, m.world_size - 1, Membership::kUnknown);
  }
  m.launcher_has_store = variable("TORCHELASTIC_USE_AGENT_STORE") == "True";
  m.attempt = number_or("TORCHELASTIC_RESTART_COUNT", 0, kMaxRanks, 0);
  m.threads = omp_threads_of_rank(m.local_world_size);
  if (!m.is_alone()) {
    m.address = variable("MASTER_ADDR").value_or(m.address);
    m.port = number("MASTER_PORT", 1, kMaxPort);
  }
  return m;
}

Membership from_mpi(const RankVariables& names) {
  Membership m = place_of(names);
  m.threads = omp_threads();
  if (m.is_alone()) return m;
  if (!variable("MASTER_ADDR") && m.local_world_size != m.world_size) {
    throw UsageError(
        "the environment variable MASTER_ADDR is missing, and {} does not say that all {} ranks run on this machine; "
        "export the name of rank 0's host to all ranks, as with `mpirun -x MASTER_ADDR=HOST` of Open MPI or `mpiexec "
        "-genv MASTER_ADDR HOST` of MPICH and Intel MPI",
        names.local_world_size, m.world_size);
  }
  m.address = variable("MASTER_ADDR").value_or(m.address);
  m.port = number_or("MASTER_PORT", 1, kMaxPort, kDefaultPort);
  return m;
}

/// The first host of a list such as "node[03-17,21]" or "alpha,beta".
std::string first_host(const std::string& list) {
  const size_t bracket = list.find('['), comma = list.find(',');
  if (bracket == std::string::npos || comma < bracket) return list.substr(0, comma);
  return list.substr(0, bracket) + list.substr(bracket + 1, list.find_first_of("-,]", bracket) - bracket - 1);
}

/// The number of tasks on node `node`, from a list such as "8(x2),4".
int tasks_of_node(const std::string& list, int node) {
  std::istringstream in(list);
  int tasks = 1;
  for (int first = 0; first <= node && in >> tasks;) {
    int repeated = 1;
    if (in.peek() == '(') {  // "(x2)"
      in.ignore(2) >> repeated;
      in.ignore(1);
    }
    in.ignore(1);
    first += repeated;
  }
  return tasks;
}

/// A port by the numbers of job and step, since several may share rank 0's machine.
int port_of_step() {
  const auto part = [](const char* name) { return parse_number<uint32_t>(variable(name).value_or("")).value_or(0); };
  return kDefaultPort + static_cast<int>((part("SLURM_JOB_ID") + uint64_t{997} * part("SLURM_STEP_ID")) % kSlurmPorts);
}

Membership from_slurm() {
  Membership m;
  m.world_size = number(num_tasks_variable(), 1, kMaxRanks);
  m.rank = number("SLURM_PROCID", 0, m.world_size - 1,
                  fmt::format(", because {} is {}", num_tasks_variable(), m.world_size));
  m.local_rank = number_or("SLURM_LOCALID", 0, m.world_size - 1, 0);
  const auto tasks = variable(of_step_or_job("SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE")).value_or("1");
  m.local_world_size = tasks_of_node(tasks, number_or("SLURM_NODEID", 0, kMaxRanks, 0));
  const auto hosts = variable(of_step_or_job("SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST")).value_or(m.address);
  m.address = variable("MASTER_ADDR").value_or(first_host(hosts));
  m.port = number_or("MASTER_PORT", 1, kMaxPort, port_of_step());
  m.job = fmt::format("{}.{}", variable("SLURM_JOB_ID").value_or(""), variable("SLURM_STEP_ID").value_or(""));
  m.attempt = number_or("SLURM_RESTART_COUNT", 0, kMaxRanks, 0);
  // srun passes the batch job's number on, but binds its tasks to one processor each, unless it is given the option,
  // too.
  m.threads = std::min(number_or("SLURM_CPUS_PER_TASK", 1, kMaxThreads, 0), usable_processors());
  if (omp_threads() > 0) m.threads = omp_threads();
  return m;
}

bool is_from_torchrun() { return variable("RANK") || variable("WORLD_SIZE"); }

/// Whether srun, too, knows this rank as a task. Scripts for srun may set torchrun's variables to those of the task,
/// but where torchrun or --devices starts several ranks in a task, there are fewer tasks than ranks.
bool is_srun_task(const Membership& m) {
  return variable("SLURM_STEP_ID") && variable("SLURM_LOCALID") == std::to_string(m.local_rank) &&
         variable(num_tasks_variable()) == std::to_string(m.world_size);
}

}  // namespace

Membership find_membership() {
  const RankVariables* mpi = find_mpi();
  Membership m;
  if (is_from_torchrun()) {
    m = from_torchrun();
  } else if (mpi != nullptr && !is_same_task(*mpi)) {
    m = from_mpi(*mpi);
  } else if (is_from_slurm()) {
    m = from_slurm();
  }
  m.is_srun_task = is_srun_task(m);
  return m;
}

}  // namespace transformer
