#include "platform/device.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <vector>

#include "base/error.h"

namespace transformer {
namespace {

struct LoadedPart {
  const CudaPart* part = nullptr;
  std::string failure;
};

LoadedPart load_cuda_part() {
  // Without a driver the wheel's CUDA half would load for a second in vain.
  if (dlopen("libcuda.so.1", RTLD_LAZY) == nullptr) return {nullptr, "no NVIDIA driver on this machine"};
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::string last_failure;
  for (const auto& directory : {program, program.parent_path() / "lib"}) {
    void* library = dlopen((directory / kCudaPartLibrary).c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
      last_failure = dlerror();
      continue;
    }
    const auto* part = static_cast<const CudaPart*>(dlsym(library, kCudaPartSymbol));
    if (part == nullptr) return {nullptr, concat("the CUDA part in ", directory.string(), " is of another version")};
    if (part->device_count() == 0) return {nullptr, "the driver shows no CUDA device"};
    return {part, ""};
  }
  return {nullptr, concat("the CUDA part does not load: ", last_failure)};
}

/// What the control group at the root, which is a container's own, version 2 or 1, lets it take.
int64_t container_memory() {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const auto* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    if (int64_t limit = 0; file >> limit) least = std::min(least, limit);  // "max" is no number
  }
  return least;
}

const LoadedPart& loaded_part() {
  static const LoadedPart loaded = load_cuda_part();
  return loaded;
}

}  // namespace

const CudaPart* cuda_part() { return loaded_part().part; }

std::string why_no_cuda() { return loaded_part().failure; }

torch::Device select_device(const std::string& name, int local_rank, int local_size) {
  if (name == "cpu" || (name == "auto" && cuda_part() == nullptr)) return torch::kCPU;
  int index = local_rank;
  const char* end = name.data() + name.size();
  const bool numbered = name.starts_with("cuda:") && std::from_chars(name.data() + 5, end, index).ptr == end &&
                        name.size() > 5 && index >= 0;
  if (!numbered && name != "cuda" && name != "auto") {
    throw UsageError("--device ", name, ": expected auto, cpu, cuda or cuda:N");
  }
  if (numbered && local_size > 1) {
    throw UsageError("--device ", name, ": one device, but ", local_size, " ranks on this machine; give --device cuda");
  }
  if (cuda_part() == nullptr) {
    throw UsageError("--device ", name, ": ", why_no_cuda(), "; use --device cpu, or see `transformer doctor`");
  }
  if (index >= cuda_part()->device_count()) {
    const auto ranks = local_size > 1 ? concat(" for ", local_size, " ranks") : "";
    throw UsageError("--device ", name, ": this machine has ", cuda_part()->device_count(),
                     " CUDA devices, numbered from 0", ranks);
  }
  return {torch::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

int64_t device_memory(torch::Device device) {
  if (device.is_cpu()) return std::min(int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE), container_memory());
  return static_cast<int64_t>(cuda_part()->device_memory(device.index()));
}

int set_num_threads(int num_threads) {
  if (num_threads > 0) torch::set_num_threads(num_threads);
  return torch::get_num_threads();
}

}  // namespace transformer
