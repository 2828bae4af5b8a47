#include "distributed/membership.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "base/error.h"
#include "catch.h"
#include "environment.h"
#include "platform/device.h"

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
                             "SLURM_JOB_ID",
                             "SLURM_STEP_ID",
                             "SLURM_STEP_TASKS_PER_NODE",
                             "SLURM_TASKS_PER_NODE",
                             "SLURM_STEP_NODELIST",
                             "SLURM_JOB_NODELIST",
                             "SLURM_RESTART_COUNT",
                             "SLURM_CPUS_PER_TASK",
                             "TORCHELASTIC_RUN_ID",
                             "OMPI_COMM_WORLD_RANK",
                             "OMPI_COMM_WORLD_SIZE",
                             "OMPI_COMM_WORLD_LOCAL_RANK",
                             "OMPI_COMM_WORLD_LOCAL_SIZE",
                             "MV2_COMM_WORLD_RANK",
                             "MV2_COMM_WORLD_SIZE",
                             "MV2_COMM_WORLD_LOCAL_RANK",
                             "MV2_COMM_WORLD_LOCAL_SIZE",
                             "PMI_RANK",
                             "PMI_SIZE",
                             "MPI_LOCALRANKID",
                             "MPI_LOCALNRANKS",
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

TEST_CASE("what PyTorch needs suffices: the ranks find out who shares a machine") {
  std::map<std::string, std::string> variables = {
      {"RANK", "3"}, {"WORLD_SIZE", "8"}, {"MASTER_ADDR", "node1"}, {"MASTER_PORT", "1234"}};
  {
    const LauncherEnvironment environment(variables);
    const Membership m = find_membership();
    CHECK(m.rank == 3);
    CHECK(m.world_size == 8);
    CHECK(m.local_rank == Membership::kUnknown);
    CHECK(m.local_world_size == Membership::kUnknown);
  }
  variables["LOCAL_RANK"] = "3";
  {
    const LauncherEnvironment environment(variables);
    CHECK(find_membership().local_rank == 3);
    CHECK(find_membership().local_world_size == Membership::kUnknown);
  }
  // A wrapper of srun's tasks: each has cores and perhaps a GPU of its own.
  variables.erase("LOCAL_RANK");
  variables.insert({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "8"}, {"SLURM_LOCALID", "1"}});
  const LauncherEnvironment environment(variables);
  CHECK(find_membership().local_rank == 1);
  CHECK(find_membership().is_srun_task);
}

TEST_CASE("the variables of MPI libraries describe rank and world, and on one machine the store, too") {
  using Names = std::array<const char*, 4>;
  const auto names = GENERATE(
      Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
      Names{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
      Names{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"});
  std::map<std::string, std::string> variables = {{names[0], "5"}, {names[1], "8"}, {names[2], "5"}, {names[3], "8"}};
  const auto found = [&] {
    const LauncherEnvironment environment(variables);
    return find_membership();
  };
  variables["OMP_NUM_THREADS"] = "3";
  const Membership alone = found();
  CHECK(alone.rank == 5);
  CHECK(alone.world_size == 8);
  CHECK(alone.local_rank == 5);
  CHECK(alone.local_world_size == 8);
  CHECK(alone.address == "127.0.0.1");
  CHECK(alone.port == 29500);
  CHECK(alone.threads == 3);
  CHECK_FALSE(alone.launcher_has_store);
  // srun that sets PMI's variables, and srun that has started the daemon of mpirun.
  variables.insert({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "8"}, {"SLURM_LOCALID", "5"}});
  CHECK(found().is_srun_task);
  CHECK_FALSE(found().job.empty());
  variables["SLURM_NTASKS"] = "6";
  CHECK_FALSE(found().is_srun_task);
  CHECK(found().world_size == 8);
  CHECK(found().job.empty());

  variables[names[2]] = "1";
  variables[names[3]] = "4";
  CHECK_THROWS_WITH(found(), Catch::StartsWith("the environment variable MASTER_ADDR is missing, and " +
                                               std::string(names[3]) + " does not say that all 8 ranks run on this") &&
                                 Catch::Contains("mpirun -x MASTER_ADDR=HOST"));
  variables["MASTER_ADDR"] = "node1";
  variables["MASTER_PORT"] = "1234";
  CHECK(found().address == "node1");
  CHECK(found().port == 1234);
  CHECK(found().local_world_size == 4);
  variables.erase(names[2]);
  variables.erase(names[3]);
  CHECK(found().local_world_size == Membership::kUnknown);
}

TEST_CASE("PyTorch's variables and an MPI's complete each other, or contradict each other") {
  std::map<std::string, std::string> variables = {{"RANK", "1"},
                                                  {"WORLD_SIZE", "4"},
                                                  {"MASTER_ADDR", "node1"},
                                                  {"MASTER_PORT", "1234"},
                                                  {"OMPI_COMM_WORLD_RANK", "1"},
                                                  {"OMPI_COMM_WORLD_SIZE", "4"},
                                                  {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                                  {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
  const auto found = [&] {
    const LauncherEnvironment environment(variables);
    return find_membership();
  };
  CHECK(found().local_rank == 1);
  CHECK(found().local_world_size == 2);
  variables.erase("RANK");  // WORLD_SIZE alone, as some containers set it
  CHECK(found().rank == 1);
  variables["RANK"] = "0";
  CHECK_THROWS_WITH(found(), Catch::Contains("RANK ('0') and OMPI_COMM_WORLD_RANK ('1') contradict each other"));
  variables["RANK"] = "1";
  variables["WORLD_SIZE"] = "8";
  CHECK_THROWS_WITH(found(), Catch::Contains("WORLD_SIZE ('8') and OMPI_COMM_WORLD_SIZE ('4') contradict each other"));
  // torchrun, one on each node, started by mpirun.
  variables["TORCHELASTIC_RUN_ID"] = "none";
  variables["RANK"] = "7";
  variables["LOCAL_RANK"] = "3";
  variables["LOCAL_WORLD_SIZE"] = "4";
  CHECK(found().rank == 7);
  CHECK(found().local_world_size == 4);
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
      CHECK(find_membership().threads == std::min(4, usable_processors()));
    }
    variables["OMP_NUM_THREADS"] = "1";
    const LauncherEnvironment environment(variables);
    CHECK(find_membership().threads == 1);
  }
}

TEST_CASE("a task of srun has no more threads than processors, although srun passes on what the batch job asked for") {
  cpu_set_t before, one;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  const LauncherEnvironment environment(
      {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}, {"SLURM_CPUS_PER_TASK", "2"}});
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  const int threads = find_membership().threads;
  REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
  CHECK(threads == 1);
}

TEST_CASE("jobs of Slurm, and steps of a job, that share a machine have ports of their own") {
  std::map<std::string, std::string> variables = {
      {"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}, {"SLURM_JOB_ID", "6007"}};
  const auto port = [&] {
    const LauncherEnvironment environment(variables);
    return find_membership().port;
  };
  CHECK(port() == 29507);
  variables["SLURM_JOB_ID"] = "6008";
  CHECK(port() == 29508);
  variables["SLURM_STEP_ID"] = "1";
  CHECK(port() == 30505);
  variables["SLURM_JOB_ID"] = "67108863";  // the largest, and the step of an interactive job
  variables["SLURM_STEP_ID"] = "4294967290";
  CHECK(port() > 29500);
  CHECK(port() < 32500);
  variables["MASTER_PORT"] = "1234";
  CHECK(port() == 1234);
}

TEST_CASE("torchrun's variables that a script for srun sets are those of the task") {
  std::map<std::string, std::string> variables = {
      {"RANK", "0"},          {"WORLD_SIZE", "2"},   {"MASTER_ADDR", "localhost"}, {"MASTER_PORT", "1234"},
      {"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}};
  const auto found = [&] {
    const LauncherEnvironment environment(variables);
    return find_membership();
  };
  CHECK_THROWS_WITH(found(), Catch::Contains("RANK ('0') and SLURM_PROCID ('1') contradict each other"));
  variables["SLURM_PROCID"] = "0";
  CHECK(found().rank == 0);
  variables["SLURM_PROCID"] = "1";
  variables["TORCHELASTIC_RUN_ID"] = "run";  // torchrun in each of two tasks has ranks of its own
  CHECK(found().rank == 0);
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
  CHECK_THAT(message("RANK", "2"), Catch::Contains("RANK must be from 0 to 1, got '2', because WORLD_SIZE is 2"));
  CHECK_THAT(message("LOCAL_WORLD_SIZE", "3"),
             Catch::Contains("LOCAL_WORLD_SIZE must be from 1 to 2, got '3', because"));
  CHECK_THAT(message("LOCAL_RANK", "2"),
             Catch::Contains("LOCAL_RANK must be from 0 to 1, got '2', because WORLD_SIZE"));
  CHECK_THAT(message("RANK", "one"), Catch::Contains("got 'one'"));
  CHECK_THAT(message("RANK", ""), Catch::Contains("RANK is missing"));
  CHECK_THAT(message("WORLD_SIZE", "0"), Catch::Contains("WORLD_SIZE must be from 1"));
  CHECK_THAT(message("MASTER_PORT", ""), Catch::Contains("MASTER_PORT is missing"));
  CHECK_THAT(message("MASTER_PORT", "70000"), Catch::Contains("MASTER_PORT must be from 1 to 65535"));
}

}  // namespace transformer
