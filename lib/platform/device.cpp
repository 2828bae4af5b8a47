#include "platform/device.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/core.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "base/format.h"
#include "base/log.h"
#include "base/parameter_error.h"
#include "base/parse_number.h"
#include "platform/control_group.h"
#include "platform/cpu_features.h"
#include "platform/cuda_loader.h"
#include "platform/own_threads.h"

namespace transformer {
namespace {

/// What LibTorch's allocator has taken from a CUDA device for this process.
c10::CachingAllocator::Stat reserved_memory(torch::Device device) {
  const auto stats = c10::getDeviceAllocator(device.type())->getDeviceStats(device.index());
  return stats.reserved_bytes[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
}

/// `option` is what the user gave as --device.
void check_compute_capability(const std::string& option, const CudaDevice& device) {
  static constexpr int kMinMajor = 8;  // the first of TRANSFORMER_CUDA_ARCHITECTURES, and the first with bf16
  const auto [major, minor] = device.compute_capability;
  if (major >= kMinMajor) return;
  throw ParameterError(
      "'device' {}: {} has compute capability {}.{}, and this program needs {}.0 (A100) or newer; use 'device' cpu",
      option, device.name, major, minor, kMinMajor);
}

/// Makes the GPU the calling thread's current device, and turns cuDNN's attention off for the process.
void make_current(torch::Device gpu) {
  // LibTorch records an event on another device's stream by switching to that device and back. Switching back creates a
  // CUDA context, half a gigabyte, on the current device, which by default is the first GPU.
  c10::impl::VirtualGuardImpl(gpu.type()).setDevice(gpu);
  // It is slow at the first use of each combination of sizes, and nearly every batch has new ones.
  at::globalContext().setSDPUseCuDNN(false);
}

/// The peak resident set size of this process, in bytes.
int64_t peak_process_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{1024} * usage.ru_maxrss;
}

/// The numbers of the processors on which this process may run, by its CPU affinity; two hyperthreads of a core are
/// two.
std::vector<int> usable_cpus() {
  std::vector<int> numbers;
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &cpus)) numbers.push_back(cpu);
    }
  }
  if (numbers.empty()) {
    numbers.resize(std::max(1U, std::thread::hardware_concurrency()));  // 0: not known
    std::iota(numbers.begin(), numbers.end(), 0);
  }
  return numbers;
}

/// `num_processors`, but no more than the control group allows, rounded down; at least 1.
int within_control_group(int64_t num_processors) {
  return static_cast<int>(std::max(1.0, std::min(static_cast<double>(num_processors), control_group_processors())));
}

}  // namespace

torch::Device select_device(const std::string& name, int local_rank, int local_world_size,
                            bool launcher_may_hide_other_gpus) {
  if (name == "cpu") return torch::kCPU;
  if (name == "auto" && cuda_library() == nullptr) {
    if (local_rank == 0 && may_have_unused_gpu()) {
      log_warning("no GPU is used: {}; computing on the CPU (the device cpu omits this warning)", why_no_cuda());
    }
    return torch::kCPU;
  }
  static constexpr std::string_view kNumbered = "cuda:";
  const auto number =
      name.starts_with(kNumbered) ? parse_number<int>(std::string_view(name).substr(kNumbered.size())) : std::nullopt;
  const bool numbered = number && *number >= 0;
  int index = number.value_or(local_rank);
  if (!numbered && name != "cuda" && name != "auto") {
    throw ParameterError("'device' {}: expected auto, cpu, cuda or cuda:N", name);
  }
  if (numbered && local_world_size > 1) {
    throw ParameterError("'device' {}: names one device, and {} are needed on this machine; give 'device' cuda", name,
                         local_world_size);
  }
  if (cuda_library() == nullptr) {
    throw ParameterError("'device' {}: {}; use 'device' cpu, or see `transformer doctor`", name, why_no_cuda());
  }
  if (!numbered && launcher_may_hide_other_gpus && cuda_library()->device_count() == 1) index = 0;
  if (index >= cuda_library()->device_count()) {
    const auto needed = local_world_size > 1 ? fmt::format(", and {} are needed", local_world_size) : "";
    throw ParameterError("'device' {}: this machine has {}, numbered from 0{}", name,
                         counted(cuda_library()->device_count(), "CUDA device"), needed);
  }
  check_compute_capability(name, cuda_library()->describe(index));
  const torch::Device gpu(torch::kCUDA, static_cast<c10::DeviceIndex>(index));
  make_current(gpu);
  return gpu;
}

std::vector<torch::Device> select_devices(const std::string& name, int count) {
  std::vector<torch::Device> devices;
  for (int i = 0; i < count; ++i) devices.push_back(select_device(name, i, count));
  if (count > 1 && devices.front() == devices.back()) {
    throw ParameterError("'devices' {}: needs as many GPUs; on a CPU, 'workers' {} runs as many searches", count,
                         count);
  }
  if (count > 1) make_current(devices.front());
  return devices;
}

int64_t device_memory(torch::Device device) {
  if (device.is_cpu())
    return std::min(int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE), control_group_memory());
  return static_cast<int64_t>(cuda_library()->describe(device.index()).total_bytes);
}

int64_t available_memory(torch::Device device) {
  if (device.is_cpu()) return device_memory(device);
  return static_cast<int64_t>(cuda_library()->describe(device.index()).free_bytes) + reserved_memory(device).current;
}

int64_t peak_memory(torch::Device device) {
  return device.is_cpu() ? peak_process_bytes() : reserved_memory(device).peak;
}

std::string device_name(torch::Device device) {
  if (device.is_cpu()) return cpu_model();
  return cuda_library()->describe(device.index()).name;
}

int usable_cores() {
  std::set<std::string> cores;  // each as the list of its hyperthreads, such as "3,19"
  for (const int cpu : usable_cpus()) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
    std::string hyperthreads;
    cores.insert(std::getline(file, hyperthreads) ? hyperthreads : std::to_string(cpu));
  }
  return within_control_group(std::ssize(cores));
}

int usable_processors() { return within_control_group(std::ssize(usable_cpus())); }

int set_num_threads(int num_threads) {
  static const int by_default = torch::get_num_threads();  // which the threads of searches change later
  const char* omp_threads = std::getenv("OMP_NUM_THREADS");
  if (num_threads == 0 && (omp_threads == nullptr || *omp_threads == '\0')) {
    num_threads = within_control_group(by_default);  // LibTorch's default knows the CPU affinity only
  }
  set_own_threads(num_threads > 0 ? num_threads : by_default);
  return torch::get_num_threads();
}

void warn_of_oversubscription(int num_threads) {
  const int num_cpus = usable_processors();
  if (num_threads <= num_cpus) return;
  log_warning("{} threads: {} can be used, and more threads than processors slow each other down", num_threads,
              counted(num_cpus, "processor"));
}

}  // namespace transformer
