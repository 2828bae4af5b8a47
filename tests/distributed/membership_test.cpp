#include "distributed/membership.h"

#include <map>
#include <optional>
#include <string>

#include "base/error.h"
#include "catch.h"
#include "environment.h"

namespace transformer {
namespace {

/// Sets these variables of torchrun and Slurm, and removes all others of them, until it is destroyed.
class LauncherEnvironment : public Environment {
 public:
  explicit LauncherEnvironment(const std::map<std::string, std::string>& variables)
      : Environment(with_all_names(variables)) {}

 private:
  static Variables with_all_names(const std::map<std::string, std::string>& variables) {
    Variables all;
    for (const char* name : {"RANK",
                             "WORLD_SIZE",
                             "LOCAL_RANK",
                             "LOCAL_WORLD_SIZE",
                             "MASTER_ADDR",
                             "MASTER_PORT",
                             "TORCHELASTIC_USE_AGENT_STORE",
                             "TORCHELASTIC_RESTART_COUNT",
                             "SLURM_PROCID",
                             "SLURM_NTASKS",
                             "SLURM_STEP_NUM_TASKS",
                             "SLURM_LOCALID",
                             "SLURM_NODEID",
                             "SLURM_STEP_ID",
                             "SLURM_STEP_TASKS_PER_NODE",
                             "SLURM_TASKS_PER_NODE",
                             "SLURM_STEP_NODELIST",
                             "SLURM_JOB_NODELIST",
                             "SLURM_RESTART_COUNT",
                             "SLURM_CPUS_PER_TASK",
                             "TORCHELASTIC_RUN_ID",
                             "OMP_NUM_THREADS"}) {
      all[name] = std::nullopt;
    }
    for (const auto& [name, value] : variables) all[name] = value;
    return all;
  }
};

}  // namespace

TEST_CASE("a process without a launcher is a world of one rank") {
  const LauncherEnvironment environment({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}});  // a batch script, not a step
  CHECK(find_membership().is_alone());
}

TEST_CASE("the variables of torchrun describe rank, world and store") {
  const LauncherEnvironment environment({{"RANK", "5"},
                                         {"WORLD_SIZE", "8"},
                                         {"LOCAL_RANK", "1"},
                                         {"LOCAL_WORLD_SIZE", "4"},
                                         {"MASTER_ADDR", "node1"},
                                         {"MASTER_PORT", "1234"},
                                         {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                         {"TORCHELASTIC_RESTART_COUNT", "2"}});
  const Membership m = find_membership();
  CHECK_FALSE(m.is_alone());
  CHECK(m.rank == 5);
  CHECK(m.world_size == 8);
  CHECK(m.local_rank == 1);
  CHECK(m.local_world_size == 4);
  CHECK(m.address == "node1");
  CHECK(m.port == 1234);
  CHECK(m.launcher_has_store);
  CHECK(m.attempt == 2);
  CHECK_FALSE(m.is_srun_task);
}

TEST_CASE("ranks of torchrun within a task of srun are no tasks themselves, but a task may have torchrun's variables") {
  const auto [local_rank, num_tasks, is_task] =
      GENERATE(table<std::string, std::string, bool>({{"0", "2", false}, {"1", "2", true}, {"1", "1", false}}));
  const LauncherEnvironment environment({{"RANK", local_rank},
                                         {"WORLD_SIZE", "2"},
                                         {"LOCAL_RANK", local_rank},
                                         {"LOCAL_WORLD_SIZE", "2"},
                                         {"MASTER_PORT", "1234"},
                                         {"SLURM_STEP_ID", "0"},
                                         {"SLURM_NTASKS", num_tasks},
                                         {"SLURM_LOCALID", "1"}});
  CHECK(find_membership().is_srun_task == is_task);
}

TEST_CASE("the variables of Slurm describe rank and world, and the host of rank 0") {
  const auto [hosts, first] = GENERATE(table<std::string, std::string>(
      {{"node[03-17,21]", "node03"}, {"alpha,beta", "alpha"}, {"gpu[7,9],cpu1", "gpu7"}, {"single", "single"}}));
  const auto [node, tasks] = GENERATE(table<std::string, int>({{"0", 8}, {"1", 8}, {"2", 4}}));
  const LauncherEnvironment environment({{"SLURM_STEP_ID", "0"},
                                         {"SLURM_PROCID", "9"},
                                         {"SLURM_NTASKS", "20"},
                                         {"SLURM_LOCALID", "1"},
                                         {"SLURM_NODEID", node},
                                         {"SLURM_STEP_TASKS_PER_NODE", "8(x2),4"},
                                         {"SLURM_STEP_NODELIST", hosts}});
  const Membership m = find_membership();
  CHECK(m.rank == 9);
  CHECK(m.world_size == 20);
  CHECK(m.local_rank == 1);
  CHECK(m.local_world_size == tasks);
  CHECK(m.address == first);
  CHECK(m.port == 29500);
  CHECK_FALSE(m.launcher_has_store);
  CHECK(m.is_srun_task);
}

TEST_CASE("a launcher's world of one rank leaves the ranks to --devices") {
  const LauncherEnvironment environment({{"RANK", "0"}, {"WORLD_SIZE", "1"}});
  CHECK(find_membership().is_alone());
}

TEST_CASE("a step of Slurm with fewer tasks than its job has as many ranks as tasks") {
  const LauncherEnvironment environment(
      {{"SLURM_STEP_ID", "4294967290"},  // an interactive step, in a job of four tasks
       {"SLURM_PROCID", "0"},
       {"SLURM_NTASKS", "4"},
       {"SLURM_STEP_NUM_TASKS", "1"},
       {"SLURM_STEP_TASKS_PER_NODE", "1"}});
  CHECK(find_membership().is_alone());  // so that --devices may start ranks
}

TEST_CASE("the environment may set the threads of each rank") {
  std::map<std::string, std::string> variables;
  SECTION("torchrun") {
    variables = {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "1234"}, {"TORCHELASTIC_RUN_ID", "none"}};
    const auto [omp, threads] = GENERATE(table<std::string, int>({{"", 0}, {"1", 0}, {"8", 8}, {"6,2", 6}}));
    if (!omp.empty()) variables["OMP_NUM_THREADS"] = omp;
    const LauncherEnvironment environment(variables);
    CHECK(find_membership().threads == threads);  // torchrun itself sets 1
  }
  SECTION("--devices") {
    const LauncherEnvironment environment({{"RANK", "0"},
                                           {"WORLD_SIZE", "2"},
                                           {"LOCAL_WORLD_SIZE", "2"},
                                           {"MASTER_PORT", "1234"},
                                           {"OMP_NUM_THREADS", "8"}});
    CHECK(find_membership().threads == 4);
  }
  SECTION("srun") {
    variables = {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}, {"SLURM_CPUS_PER_TASK", "4"}};
    {
      const LauncherEnvironment environment(variables);
      CHECK(find_membership().threads == 4);
    }
    variables["OMP_NUM_THREADS"] = "1";
    const LauncherEnvironment environment(variables);
    CHECK(find_membership().threads == 1);
  }
}

TEST_CASE("variables that contradict each other are named") {
  const std::map<std::string, std::string> valid = {
      {"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "localhost"}, {"MASTER_PORT", "1234"}};
  const auto message = [&](const char* name, const char* value) {
    auto variables = valid;
    variables[name] = value;
    if (*value == '\0') variables.erase(name);
    const LauncherEnvironment environment(variables);
    try {
      find_membership();
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message("RANK", "0").empty());
  CHECK_THAT(message("RANK", "2"), Catch::Contains("RANK must be from 0 to 1, got '2'"));
  CHECK_THAT(message("RANK", "one"), Catch::Contains("got 'one'"));
  CHECK_THAT(message("RANK", ""), Catch::Contains("RANK is missing"));
  CHECK_THAT(message("WORLD_SIZE", "0"), Catch::Contains("WORLD_SIZE must be from 1"));
  CHECK_THAT(message("MASTER_PORT", ""), Catch::Contains("MASTER_PORT is missing"));
  CHECK_THAT(message("MASTER_PORT", "70000"), Catch::Contains("MASTER_PORT must be from 1 to 65535"));
}

}  // namespace transformer
