#pragma once

#include <torch/types.h>

#include <array>
#include <cstdint>

#include "base/enum_names.h"

namespace transformer {

/// The kinds of work that make up a training step.
enum class Work { matrix_products, attention, dropout, normalization, loss, optimizer, batches, copies, other };

template <>
struct EnumNames<Work> {
  static constexpr std::array names = {"matrix products", "attention", "dropout", "normalization", "loss",
                                       "optimizer",       "batches",   "copies",  "other"};
};

using WorkSeconds = std::array<double, EnumNames<Work>::names.size()>;

/// Measures how a device's time divides among the kinds of work, by the operations that LibTorch reports to its
/// profiler. A nested operation counts once, as the work of the operation around it; matrix products count as such
/// wherever they occur. On a GPU the times are those between events on the current stream, so that time in which it
/// waits for the next launch counts as the work launched last. On a CPU they are processor time of the threads that
/// call operations: the threads which inherit the state of the meter's thread (at::ThreadLocalState) count, the threads
/// inside of operations do not. The measurement slows small operations down. There may
/// be only one meter at a time.
class WorkMeter {
 public:
  explicit WorkMeter(torch::Device device);
  ~WorkMeter();
  WorkMeter(const WorkMeter&) = delete;
  WorkMeter& operator=(const WorkMeter&) = delete;

  /// Seconds spent on each kind of work since construction; waits for a GPU.
  WorkSeconds seconds() const;

 private:
  uint64_t callback_;
};

}  // namespace transformer
