#include "system/system_report.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include <array>
#include <fstream>

#include "base/build_info.h"
#include "base/format.h"
#include "base/json.h"
#include "distributed/gloo_status.h"
#include "platform/cpu_features.h"
#include "platform/cuda_loader.h"
#include "platform/device.h"
#include "platform/mkl_avx512.h"
#include "platform/worker_threads.h"
#include "system/version.h"

namespace transformer {
namespace {

/// "Debian GNU/Linux 12 (bookworm), Linux 6.1.0 x86_64"; only the kernel where no file says which distribution it is.
std::string operating_system() {
  static constexpr std::string_view kName = "PRETTY_NAME=";
  utsname kernel{};
  uname(&kernel);
  std::string system = fmt::format("{} {} {}", kernel.sysname, kernel.release, kernel.machine);
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(kName)) continue;
    line.erase(0, kName.size());
    std::erase(line, '"');
    system.insert(0, line + ", ");
  }
  return system;
}

/// The processor's features that decide how fast matrix products are.
std::string relevant_cpu_features() {
  static constexpr std::array kRelevant = {"avx2",        "fma",      "avx512f", "avx512_bf16",
                                           "avx512_vnni", "amx_bf16", "amx_int8"};
  const auto present = cpu_flags();
  std::vector<std::string> found;
  for (const auto* feature : kRelevant) {
    if (present.contains(feature)) found.push_back(feature);
  }
  return fmt::format("{}", fmt::join(found, " "));
}

/// The library that multiplies fp32 matrices.
std::string fp32_products() {
  if (!at::hasMKL()) return "products by a library other than MKL";
  return mkl_uses_avx512() ? "products by MKL with AVX-512" : "products by MKL, without AVX-512";
}

/// What `training.precision: bf16` gains on this processor.
std::string bf16_unit() {
  switch (bf16_products(cpu_flags())) {
    case Bf16Products::emulated:
      return "none: products no faster than in fp32";
    case Bf16Products::avx512_bf16:
      return "vector unit (AVX-512), no matrix unit: products twice as fast as in fp32";
    case Bf16Products::amx_bf16:
      return "matrix unit (AMX): products several times as fast as in fp32";
    case Bf16Products::unknown:
      break;
  }
  return "not known for this kind of processor";
}

std::string nccl_version() {
  if (cuda_library() == nullptr) return "not loaded: " + why_no_cuda();
  const uint64_t version = cuda_library()->nccl_version();
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

void add_cuda_devices(SystemReport& report) {
  if (cuda_library() == nullptr) {
    report.push_back({"cuda", why_no_cuda()});
    return;
  }
  for (int i = 0; i < cuda_library()->device_count(); ++i) {
    const torch::Device device(torch::kCUDA, static_cast<c10::DeviceIndex>(i));
    const CudaDevice properties = cuda_library()->describe(i);
    const auto [major, minor] = properties.compute_capability;
    report.push_back(
        {device.str(), fmt::format("{}, compute capability {}.{}, {}, of which {} are free", properties.name, major,
                                   minor, human_bytes(static_cast<int64_t>(properties.total_bytes)),
                                   human_bytes(static_cast<int64_t>(properties.free_bytes)))});
  }
}

}  // namespace

SystemReport examine_system() {
  SystemReport report = {{"transformer", fmt::format("{}, commit {}", kBuildInfo.version, kBuildInfo.commit)},
                         {"build", fmt::format("{}, {}", kBuildInfo.compiler, kBuildInfo.type)},
                         {"libtorch", torch_version_text(torch_version_of(at::show_config()))},
                         {"os", operating_system()},
                         {"cpu", cpu_model()},
                         {"cpu_features", relevant_cpu_features()},
                         {"kernels", name_of(instruction_set())},
                         {"fp32", fp32_products()},
                         {"bf16", bf16_unit()},
                         {"libtorch_kernels", at::get_cpu_capability()},
                         {"threads", std::to_string(set_num_threads(0))},
                         {"workers", std::to_string(WorkerThreads::count_for(at::get_num_threads(), torch::kCPU))},
                         {"memory", human_bytes(device_memory(torch::kCPU))},
                         {"gloo", gloo_status()},
                         {"nccl", nccl_version()}};
  add_cuda_devices(report);
  return report;
}

std::string format_text(const SystemReport& report) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : report) lines.push_back(fmt::format("{:<13} {}", name, value));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::string format_json(const SystemReport& report) {
  Json json = Json::object();
  for (const auto& [name, value] : report) json[name] = value;
  return json_text(json);
}

}  // namespace transformer
