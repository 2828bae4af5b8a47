#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "paper_tables/paper_tables.h"

namespace transformer {

/// A machine with GPUs, and the share of their rated speed that training is assumed to sustain.
struct GpuMachine {
  std::string_view gpu;
  int64_t num_gpus;
  double rated_flops;  // per second, of one GPU: the peak of matrix products without sparsity, or for the P100 §6.1's
  double utilization;  // from 0 to 1

  /// The predicted time of a training that takes `flops` floating-point operations.
  double hours(double flops) const {
    return flops / (rated_flops * utilization * static_cast<double>(num_gpus)) / 3600;
  }
  double gpu_hours(double flops) const { return hours(flops) * static_cast<double>(num_gpus); }
};

/// The paper's machine (§5.2), in fp32: its step times of base and big (0.4 and 1.0 s) correspond to 31 % and 42 % of
/// the 9.5 TFLOP/s that §6.1 assumes, and without the exchange of gradients to 33 % and 44 %; 35 % lies between
/// them. The two others are current machines, in bf16; their 20 % is an assumption, since this program has not been
/// measured on a GPU.
inline constexpr std::array kGpuMachines = {
    GpuMachine{"P100", kPaperDevices, kPaperSustainedFlops, 0.35},
    GpuMachine{"H100", 8, 989e12, 0.2},
    GpuMachine{"H200", 1, 989e12, 0.2},
};

}  // namespace transformer
