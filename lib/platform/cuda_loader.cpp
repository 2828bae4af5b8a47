#include "platform/cuda_loader.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <filesystem>

#include "base/error.h"
#include "base/program_directory.h"

namespace transformer {
namespace {

struct LoadedLibrary {
  const CudaLibrary* functions = nullptr;
  std::string failure;
};

LoadedLibrary load() {
  // Without a driver it would take a second to load LibTorch's CUDA libraries, for nothing.
  if (dlopen("libcuda.so.1", RTLD_LAZY) == nullptr) return {nullptr, "no NVIDIA driver on this machine"};
  const auto program = program_directory();
  std::string last_failure;
  for (const auto& directory : {program, program.parent_path() / "lib"}) {
    void* library = dlopen((directory / kCudaLibraryFile).c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
      last_failure = dlerror();
      continue;
    }
    const auto* functions = static_cast<const CudaLibrary*>(dlsym(library, kCudaLibrarySymbol));
    if (functions == nullptr) {
      return {nullptr, fmt::format("{} in {} is of another version", kCudaLibraryFile, directory.string())};
    }
    const int supported = functions->driver_version(), needed = functions->runtime_version();
    if (supported / 1000 < needed / 1000) {
      return {nullptr,
              fmt::format("the NVIDIA driver supports CUDA {}.{}, and this program needs {}.{}: install a newer "
                          "driver",
                          supported / 1000, supported % 1000 / 10, needed / 1000, needed % 1000 / 10)};
    }
    if (functions->device_count() == 0) return {nullptr, "the driver shows no CUDA device"};
    return {functions, ""};
  }
  return {nullptr, fmt::format("{} does not load: {}", kCudaLibraryFile, last_failure)};
}

const LoadedLibrary& loaded_library() {
  static const LoadedLibrary loaded = load();
  return loaded;
}

}  // namespace

const CudaLibrary* cuda_library() { return loaded_library().functions; }

std::string why_no_cuda() { return loaded_library().failure; }

}  // namespace transformer
