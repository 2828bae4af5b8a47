#include <ATen/Context.h>
#include <ATen/Version.h>
#include <torch/version.h>

#include <iostream>
#include <memory>
#include <set>

#include "base/format.h"
#include "base/json.h"
#include "base/line_reader.h"
#include "base/words.h"
#include "commands/commands.h"
#include "distributed/backends.h"
#include "platform/device.h"
#include "platform/matrix_kernels.h"

namespace transformer {
namespace {

struct DoctorOptions {
  bool json = false;
};

/// Name and finding, in the order in which they are shown.
using Findings = std::vector<std::pair<std::string, std::string>>;

std::string cpu_line(const std::string& key) {
  for (const auto& line : read_lines("/proc/cpuinfo")) {
    if (line.starts_with(key)) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::set<std::string> cpu_flags() {
  const auto flags = split_words(cpu_line("flags"));
  return {flags.begin(), flags.end()};
}

/// The features that decide how quick LibTorch's kernels are here.
std::string cpu_features() {
  static constexpr std::array kTelling = {"avx2",        "fma",      "avx512f", "avx512_bf16",
                                          "avx512_vnni", "amx_bf16", "amx_int8"};
  const auto present = cpu_flags();
  std::string found;
  for (const auto* feature : kTelling) {
    if (present.contains(feature)) found += concat(found.empty() ? "" : " ", feature);
  }
  return found;
}

/// Who multiplies matrices in fp32.
std::string fp32_products() {
  if (!at::hasMKL()) return "products by a library other than MKL";
  return has_avx512_products() ? "products by MKL with AVX-512" : "products by MKL, without AVX-512";
}

/// What `training.precision: bf16` gains here.
std::string bf16_unit() {
  const auto present = cpu_flags();
  if (present.contains("unknown")) return "not known for this kind of processor";
  if (present.contains("amx_bf16")) return "matrix unit (AMX): products several times as fast as in fp32";
  if (present.contains("avx512_bf16")) return "vector unit (AVX-512), no matrix unit: products twice as fast as in fp32";
  return "none: products no faster than in fp32";
}

std::string nccl_finding() {
  if (cuda_part() == nullptr) return "not loaded: " + why_no_cuda();
  const uint64_t version = cuda_part()->nccl_version();
  return concat(version / 10000, ".", version / 100 % 100, ".", version % 100);
}

Findings examine() {
  Findings findings = {{"transformer", TRANSFORMER_VERSION},
                       {"libtorch", TORCH_VERSION},
                       {"cpu", cpu_line("model name")},
                       {"cpu_features", cpu_features()},
                       {"fp32", fp32_products()},
                       {"bf16", bf16_unit()},
                       {"cpu_kernels", at::get_cpu_capability()},
                       {"threads", std::to_string(torch::get_num_threads())},
                       {"memory", human_bytes(device_memory(torch::kCPU))},
                       {"gloo", gloo_status()},
                       {"nccl", nccl_finding()}};
  if (cuda_part() == nullptr) {
    findings.emplace_back("cuda", why_no_cuda());
    return findings;
  }
  for (int i = 0; i < cuda_part()->device_count(); ++i) {
    std::array<char, 256> name{};
    cuda_part()->device_name(i, name.data(), name.size());
    const torch::Device device(torch::kCUDA, static_cast<c10::DeviceIndex>(i));
    findings.emplace_back(device.str(), concat(name.data(), ", ", human_bytes(device_memory(device))));
  }
  return findings;
}

void run_doctor(const DoctorOptions& options) {
  bool first = true;
  for (const auto& [name, finding] : examine()) {
    if (options.json) {
      std::cout << (first ? "{" : ", ") << json_string(name) << ": " << json_string(finding);
    } else {
      std::cout << name << std::string(name.size() < 14 ? 14 - name.size() : 1, ' ') << finding << "\n";
    }
    first = false;
  }
  if (options.json) std::cout << "}\n";
}

}  // namespace

void add_doctor(CLI::App& app) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* command = app.add_subcommand("doctor", "Versions, devices and CPU features: what a bug report needs");
  command->add_flag("--json", options->json, "One JSON object");
  command->footer("Example:\n  transformer doctor");
  command->callback([options] { run_doctor(*options); });
}

}  // namespace transformer
