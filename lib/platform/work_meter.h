#pragma once

#include <array>
#include <cstdint>

namespace transformer {

/// The kinds of work that make up a training step.
enum class Work { matrix_products, attention, dropout, normalization, loss, optimizer, batches, copies, other };

inline constexpr std::array kWorkNames = {"matrix products", "attention", "dropout", "normalization", "loss",
                                          "optimizer",       "batches",   "copies",  "other"};

/// Measures how this process's time divides among the kinds of work, by the operations that LibTorch reports to its
/// profiler. A nested operation counts once, as the work of the operation around it; matrix products count as such
/// wherever they occur. The measurement slows small operations down. It is for CPUs: a GPU computes asynchronously, so
/// the time of an operation here is only the time to launch it. There may be only one meter at a time.
class WorkMeter {
 public:
  WorkMeter();
  ~WorkMeter();
  WorkMeter(const WorkMeter&) = delete;
  WorkMeter& operator=(const WorkMeter&) = delete;

  /// Seconds spent on this kind of work since construction.
  double seconds(Work work) const;

 private:
  uint64_t callback_;
};

}  // namespace transformer
