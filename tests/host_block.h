#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "kernels/gpu/block.h"

namespace transformer::gpu {

/// A block of threads (block.h) that one thread of the host plays. To show what a kernel must not rely on, shared
/// memory is full of NaN at first, and the threads of every other block run backwards.
class HostBlock {
 public:
  HostBlock(int64_t index, const Grid& grid)
      : index_(index),
        grid_(grid),
        shared_(grid.shared_bytes / sizeof(float), std::numeric_limits<float>::quiet_NaN()) {}

  int64_t index() const { return index_; }
  int64_t count() const { return grid_.num_blocks; }

  template <class T>
  T* shared(int64_t count) {
    static_assert(sizeof(T) == sizeof(float));
    T* values = shared_.data() + used_;
    used_ += static_cast<size_t>(count);
    TORCH_CHECK(used_ <= shared_.size(), "shared memory of ", shared_.size(), " values, ", used_, " used");
    return values;
  }

  template <class Function>
  void each(int count, const Function& f) const {
    for_each_thread([&](int thread) {
      for (int i = thread; i < count; i += grid_.num_threads) f(i);
    });
  }

  /// Adds up in the same order as a GPU: each thread its own, the threads of each warp, the warps.
  template <class T, class Sum, class Function>
  T reduce(int count, const T& zero, const Sum& add, const Function& f) const {
    std::vector<T> totals(static_cast<size_t>(grid_.num_threads), zero);
    for_each_thread([&](int thread) {
      T& total = totals[static_cast<size_t>(thread)];
      for (int i = thread; i < count; i += grid_.num_threads) total = add(total, f(i));
    });
    static_assert(2 * kMaxThreads / kWarpSize * sizeof(T) <= kReductionBytes, "a kernel may add up two types");
    std::array<T, kWarp> warps;
    warps.fill(zero);
    for (size_t first = 0; first < totals.size(); first += kWarp) {
      warps[first / kWarp] = add_lanes(&totals[first], add);
    }
    return add_lanes(warps.data(), add);
  }

  template <class Function>
  void once(const Function& f) const {
    f();
  }

 private:
  static constexpr size_t kWarp = kWarpSize;

  /// The sum over the lanes of a warp as its first lane computes it.
  template <class T, class Sum>
  static T add_lanes(const T* lanes, const Sum& add) {
    std::array<T, kWarp> totals;
    std::copy(lanes, lanes + kWarp, totals.begin());
    for (size_t offset = kWarp / 2; offset > 0; offset /= 2) {
      const auto before = totals;
      for (size_t lane = 0; lane < kWarp; ++lane) totals[lane] = add(before[lane], before[lane ^ offset]);
    }
    return totals[0];
  }

  template <class Function>
  void for_each_thread(const Function& f) const {
    for (int i = 0; i < grid_.num_threads; ++i) f(index_ % 2 == 0 ? i : grid_.num_threads - 1 - i);
  }

  int64_t index_;
  const Grid& grid_;
  std::vector<float> shared_;
  size_t used_ = 0;
};

struct HostLauncher {
  template <class Kernel>
  static void launch(const Kernel& kernel, const Grid& grid) {
    TORCH_CHECK(grid.num_threads % kWarpSize == 0 && grid.num_threads <= kMaxThreads, grid.num_threads, " threads");
    TORCH_CHECK(grid.shared_bytes + kReductionBytes <= kMaxSharedBytes, grid.shared_bytes, " bytes of shared memory");
    TORCH_CHECK(grid.num_blocks <= std::numeric_limits<int32_t>::max(), grid.num_blocks, " blocks");
    for (int64_t index = 0; index < grid.num_blocks; ++index) {
      HostBlock block(index, grid);
      kernel(block);
    }
  }
};

}  // namespace transformer::gpu
