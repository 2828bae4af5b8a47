#include "platform/device.h"

#include <ATen/Parallel.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <thread>

#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "platform/cpu_features.h"
#include "platform/cuda_loader.h"
#include "platform/process_memory.h"

namespace transformer {
namespace {

/// The memory limit of the root control group, version 2 or 1, which is the container's own; the largest number without
/// a limit.
int64_t container_memory() {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const auto* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    if (int64_t limit = 0; file >> limit) least = std::min(least, limit);  // the text "max" means no limit
  }
  return least;
}

}  // namespace

torch::Device select_device(const std::string& name, int local_rank, int local_size) {
  if (name == "cpu" || (name == "auto" && cuda_library() == nullptr)) return torch::kCPU;
  int index = local_rank;
  const char* end = name.data() + name.size();
  const bool numbered = name.starts_with("cuda:") && std::from_chars(name.data() + 5, end, index).ptr == end &&
                        name.size() > 5 && index >= 0;
  if (!numbered && name != "cuda" && name != "auto") {
    throw UsageError("--device {}: expected auto, cpu, cuda or cuda:N", name);
  }
  if (numbered && local_size > 1) {
    throw UsageError("--device {}: one device for the {} ranks on this machine; give --device cuda", name, local_size);
  }
  if (cuda_library() == nullptr) {
    throw UsageError("--device {}: {}; use --device cpu, or see `transformer doctor`", name, why_no_cuda());
  }
  if (index >= cuda_library()->device_count()) {
    const auto ranks = local_size > 1 ? fmt::format(" for {} ranks", local_size) : "";
    throw UsageError("--device {}: this machine has {}, numbered from 0{}", name,
                     counted(cuda_library()->device_count(), "CUDA device"), ranks);
  }
  return {torch::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

int64_t device_memory(torch::Device device) {
  if (device.is_cpu()) return std::min(int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE), container_memory());
  return static_cast<int64_t>(cuda_library()->device_memory(device.index()));
}

int64_t peak_memory(torch::Device device) {
  if (device.is_cpu()) return peak_process_bytes();
  const auto stats = c10::getDeviceAllocator(device.type())->getDeviceStats(device.index());
  return stats.reserved_bytes[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)].peak;
}

std::string device_name(torch::Device device) {
  if (device.is_cpu()) return cpu_model();
  std::array<char, 256> name{};
  cuda_library()->device_name(device.index(), name.data(), name.size());
  return name.data();
}

int set_num_threads(int num_threads) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());  // 0: not known
  if (cores > 0 && num_threads > cores) {
    log_warning("--threads {}: {} cores can be used, and more threads than cores slow each other down", num_threads,
                cores);
  }
  if (num_threads > 0) torch::set_num_threads(num_threads);
  return torch::get_num_threads();
}

}  // namespace transformer
