#include "distributed/membership.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "base/parse_number.h"

namespace transformer {
namespace {

constexpr int kMaxRanks = 1 << 20, kMaxPort = 65535, kMaxThreads = 1 << 16;
constexpr int kSlurmPort = 29500;  // unless MASTER_PORT says otherwise

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

/// The variable as a number from `min` to `max`. Throws UsageError.
int number(const char* name, int min, int max) {
  const auto text = variable(name);
  if (!text) throw UsageError("the environment variable {} is missing; start all ranks with one launcher", name);
  const auto value = parse_number<int>(*text);
  if (!value || *value < min || *value > max) {
    throw UsageError("the environment variable {} must be from {} to {}, got '{}'", name, min, max, *text);
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
  return threads == 0 ? 0 : std::max(1, threads / local_world_size);
}

Membership from_torchrun() {
  Membership m;
  m.world_size = number("WORLD_SIZE", 1, kMaxRanks);
  m.rank = number("RANK", 0, m.world_size - 1);
  m.local_world_size = number_or("LOCAL_WORLD_SIZE", 1, m.world_size, 1);
  m.local_rank = number_or("LOCAL_RANK", 0, m.local_world_size - 1, 0);
  m.launcher_has_store = variable("TORCHELASTIC_USE_AGENT_STORE") == "True";
  m.attempt = number_or("TORCHELASTIC_RESTART_COUNT", 0, kMaxRanks, 0);
  m.threads = omp_threads_of_rank(m.local_world_size);
  if (!m.is_alone()) {
    m.address = variable("MASTER_ADDR").value_or(m.address);
    m.port = number("MASTER_PORT", 1, kMaxPort);
  }
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

/// The name of Slurm's variable for the step, or for the job if there is none: the step of an interactive job has fewer
/// tasks than the job.
const char* of_step_or_job(const char* step, const char* job) { return variable(step) ? step : job; }

const char* num_tasks_variable() { return of_step_or_job("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"); }

Membership from_slurm() {
  Membership m;
  m.world_size = number(num_tasks_variable(), 1, kMaxRanks);
  m.rank = number("SLURM_PROCID", 0, m.world_size - 1);
  m.local_rank = number_or("SLURM_LOCALID", 0, m.world_size - 1, 0);
  const auto tasks = variable(of_step_or_job("SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE")).value_or("1");
  m.local_world_size = tasks_of_node(tasks, number_or("SLURM_NODEID", 0, kMaxRanks, 0));
  const auto hosts = variable(of_step_or_job("SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST")).value_or(m.address);
  m.address = variable("MASTER_ADDR").value_or(first_host(hosts));
  m.port = number_or("MASTER_PORT", 1, kMaxPort, kSlurmPort);
  m.job = fmt::format("{}.{}", variable("SLURM_JOB_ID").value_or(""), variable("SLURM_STEP_ID").value_or(""));
  m.attempt = number_or("SLURM_RESTART_COUNT", 0, kMaxRanks, 0);
  m.threads = number_or("SLURM_CPUS_PER_TASK", 1, kMaxThreads, 0);
  if (omp_threads() > 0) m.threads = omp_threads();
  return m;
}

bool is_from_torchrun() { return variable("RANK") || variable("WORLD_SIZE"); }

/// A batch script has the variables of the job too; only srun sets the step's.
bool is_from_slurm() { return variable("SLURM_PROCID") && variable("SLURM_STEP_ID"); }

/// Whether srun, too, knows this rank as a task. Scripts for srun may set torchrun's variables to those of the task,
/// but where torchrun or --devices starts several ranks in a task, there are fewer tasks than ranks.
bool is_srun_task(const Membership& m) {
  return variable("SLURM_STEP_ID") && variable("SLURM_LOCALID") == std::to_string(m.local_rank) &&
         variable(num_tasks_variable()) == std::to_string(m.world_size);
}

}  // namespace

Membership find_membership() {
  Membership m = is_from_torchrun() ? from_torchrun() : is_from_slurm() ? from_slurm() : Membership();
  m.is_srun_task = is_srun_task(m);
  return m;
}

}  // namespace transformer
