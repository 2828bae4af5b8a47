#include "platform/cuda_loader.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <filesystem>
#include <string_view>
#include <utility>

#include "base/build_info.h"
#include "base/program_directory.h"

namespace transformer {
namespace {

/// The library, or why there is none.
struct LoadedLibrary {
  const CudaLibrary* functions = nullptr;
  std::string failure = {};
  bool gpu_may_exist = false;  // a driver is installed, but this program cannot use it
};

/// libtransformer_cuda.so beside the library that this code is in, which another program may have loaded, beside the
/// program, or in the program's ../lib.
std::filesystem::path find_file() {
  const auto program = program_directory();
  Dl_info info = {};
  dladdr(&kCudaLibraryFile, &info);  // in a program, dli_fname is what it was called as
  const std::filesystem::path binary = info.dli_fname == nullptr ? "" : info.dli_fname;
  const bool is_library = binary.filename().string().find(".so") != std::string::npos;
  for (const auto& folder : {is_library ? binary.parent_path() : program, program}) {
    if (std::filesystem::exists(folder / kCudaLibraryFile)) return folder / kCudaLibraryFile;
  }
  return program.parent_path() / "lib" / kCudaLibraryFile;
}

LoadedLibrary load_library() {
  // Without a driver it would take a second to load LibTorch's CUDA libraries, for nothing.
  if (dlopen("libcuda.so.1", RTLD_LAZY) == nullptr) return {.failure = "no NVIDIA driver on this machine"};
  const auto unusable = [](std::string failure) {
    return LoadedLibrary{.failure = std::move(failure), .gpu_may_exist = true};
  };
  const auto file = find_file();
  if (!std::filesystem::exists(file)) {
    return unusable(
        fmt::format("{} is neither in {} nor in {}: build with -DTRANSFORMER_CUDA=ON, or install the program again",
                    kCudaLibraryFile, program_directory().string(), file.parent_path().string()));
  }
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    return unusable(fmt::format("{} does not load ({}): scripts/setup.sh --cuda installs the libraries that it needs",
                                kCudaLibraryFile, dlerror()));
  }
  const auto* functions = static_cast<const CudaLibrary*>(dlsym(library, kCudaLibrarySymbol));
  if (functions == nullptr || std::string_view(functions->commit) != kBuildInfo.commit) {
    return unusable(fmt::format("{} is of another version: build or install the program again", file.string()));
  }
  const int supported = functions->driver_version(), needed = functions->runtime_version();
  if (supported / 1000 < needed / 1000) {
    return unusable(
        fmt::format("the NVIDIA driver supports CUDA {}.{}, and this program needs {}.{}: install a newer driver",
                    supported / 1000, supported % 1000 / 10, needed / 1000, needed % 1000 / 10));
  }
  if (functions->device_count() == 0) return {.failure = "the driver shows no CUDA device"};
  return {.functions = functions};
}

const LoadedLibrary& loaded_library() {
  static const LoadedLibrary loaded = load_library();
  return loaded;
}

}  // namespace

const CudaLibrary* cuda_library() { return loaded_library().functions; }

std::string why_no_cuda() { return loaded_library().failure; }

bool may_have_unused_gpu() { return loaded_library().gpu_may_exist; }

}  // namespace transformer
