#pragma once

#include <array>
#include <cstdint>

namespace transformer {

/// What the time of a training step goes to.
enum class Work { matrix_products, attention, dropout, normalization, loss, optimizer, batches, copies, other };

inline constexpr std::array kWorkNames = {"matrix products", "attention", "dropout", "normalization", "loss",
                                          "optimizer",       "batches",   "copies",  "other"};

/// While it lives, divides this process's time among the kinds of work by the operations that LibTorch reports, nested
/// ones counted once; matrix products are products wherever they are. It makes small operations slower. On a GPU, which
/// works behind the program, it says nothing of use. One at a time.
class WorkMeter {
 public:
  WorkMeter();
  ~WorkMeter();
  WorkMeter(const WorkMeter&) = delete;
  WorkMeter& operator=(const WorkMeter&) = delete;

  /// Seconds so far.
  double seconds(Work work) const;

 private:
  uint64_t callback_;
};

}  // namespace transformer
