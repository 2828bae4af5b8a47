#include "platform/control_group.h"

#include <limits>

#include "base/atomic_file.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {
namespace {

/// A directory with the files of /proc and /sys.
class Root : public TemporaryDirectory {
 public:
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = *this / path;
    std::filesystem::create_directories(file.parent_path());
    write_file_atomically(file, text);
  }
  int64_t memory() const { return control_group_memory(path()); }
  double processors() const { return control_group_processors(path()); }
};

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
constexpr double kAllProcessors = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("control group of version 2: the least limit from the root to the process's group counts") {
  const Root root;
  CHECK(root.memory() == kNone);
  root.write("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
  CHECK(root.memory() == kNone);
  root.write("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n");
  root.write("sys/fs/cgroup/slurm/job_8/memory.max", "1000\n");
  CHECK(root.memory() == kNone);
  root.write("sys/fs/cgroup/slurm/job_7/memory.max", "4000\n");
  CHECK(root.memory() == 4000);
  root.write("sys/fs/cgroup/slurm/memory.max", "9000\n");
  CHECK(root.memory() == 4000);
  root.write("sys/fs/cgroup/memory.max", "3000\n");
  CHECK(root.memory() == 3000);
}

TEST_CASE("control group of version 1: the group of the memory controller counts") {
  const Root root;
  root.write("proc/self/cgroup", "4:cpu,cpuacct:/a\n3:memory:/b/c\n1:name=systemd:/a\n");
  root.write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1000\n");
  CHECK(root.memory() == kNone);
  root.write("sys/fs/cgroup/memory/b/memory.limit_in_bytes", "5000\n");
  CHECK(root.memory() == 5000);
}

TEST_CASE("control group of a container, where only the root group is visible") {
  const Root root;
  root.write("proc/self/cgroup", "0::/docker/4711\n");
  root.write("sys/fs/cgroup/memory.max", "2000\n");
  CHECK(root.memory() == 2000);
  root.write("sys/fs/cgroup/cpu.max", "150000 100000\n");
  CHECK(root.processors() == 1.5);
}

TEST_CASE("control group of version 2: the least share of processor time counts") {
  const Root root;
  CHECK(root.processors() == kAllProcessors);
  root.write("proc/self/cgroup", "0::/kubepods/pod_1\n");
  root.write("sys/fs/cgroup/kubepods/pod_1/cpu.max", "max 100000\n");
  root.write("sys/fs/cgroup/kubepods/pod_2/cpu.max", "50000 100000\n");
  CHECK(root.processors() == kAllProcessors);
  root.write("sys/fs/cgroup/kubepods/cpu.max", "800000 200000\n");
  CHECK(root.processors() == 4);
  root.write("sys/fs/cgroup/kubepods/pod_1/cpu.max", "50000 100000\n");
  CHECK(root.processors() == 0.5);
}

TEST_CASE("control group of version 1: the quota of the cpu controller counts") {
  const Root root;
  root.write("proc/self/cgroup", "4:cpuacct,cpu:/a\n3:cpuset:/b\n");
  root.write("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  root.write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n");
  root.write("sys/fs/cgroup/cpu/b/cpu.cfs_period_us", "100000\n");
  root.write("sys/fs/cgroup/cpu/b/cpu.cfs_quota_us", "100000\n");
  CHECK(root.processors() == kAllProcessors);
  root.write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "250000\n");
  CHECK(root.processors() == 2.5);
}

}  // namespace transformer
