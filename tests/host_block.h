#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "kernels/gpu/block.h"

namespace transformer::gpu {

/// A block of threads (block.h) that one thread of the host runs. To show what a kernel must not rely on, all bits of
/// shared memory are set at first, which is NaN for a float, and the threads of every other block run backwards.
class HostBlock {
 public:
  HostBlock(int64_t index, const Grid& grid)
      : index_(index), grid_(grid), shared_(grid.shared_bytes, std::byte(0xFF)) {}

  int64_t index() const { return index_; }
  int64_t count() const { return grid_.num_blocks; }

  template <class T>
  T* shared(int64_t count) {
    static_assert(alignof(T) == alignof(float));
    T* values = reinterpret_cast<T*>(shared_.data() + used_bytes_);
    used_bytes_ += static_cast<size_t>(count) * sizeof(T);
    TORCH_CHECK(used_bytes_ <= shared_.size(), "shared memory of ", shared_.size(), " bytes, ", used_bytes_, " used");
    return values;
  }

  template <class Function>
  void each(int count, const Function& f) const {
    for_each_thread([&](int thread) {
      for (int i = thread; i < count; i += grid_.num_threads) f(i);
    });
  }

  /// Combines in the same order as a GPU: the values of each thread, the threads of each warp, the warps.
  template <class T, class Combine, class Function>
  T reduce(int count, const T& identity, const Combine& combine, const Function& f) const {
    std::vector<T> results(static_cast<size_t>(grid_.num_threads), identity);
    for_each_thread([&](int thread) {
      T& result = results[static_cast<size_t>(thread)];
      for (int i = thread; i < count; i += grid_.num_threads) result = combine(result, f(i));
    });
    static_assert(2 * kMaxThreads / kWarpSize * sizeof(T) <= kReductionBytes,
                  "a kernel may reduce values of two types");
    std::array<T, kWarp> warps;
    warps.fill(identity);
    for (size_t first = 0; first < results.size(); first += kWarp) {
      warps[first / kWarp] = combine_lanes(&results[first], combine);
    }
    return combine_lanes(warps.data(), combine);
  }

  template <class Function>
  void once(const Function& f) const {
    f();
  }

 private:
  static constexpr size_t kWarp = kWarpSize;

  /// The combined value of a warp's lanes as its first lane computes it.
  template <class T, class Combine>
  static T combine_lanes(const T* lanes, const Combine& combine) {
    std::array<T, kWarp> values;
    std::copy(lanes, lanes + kWarp, values.begin());
    for (size_t offset = kWarp / 2; offset > 0; offset /= 2) {
      const auto before = values;
      for (size_t lane = 0; lane < kWarp; ++lane) values[lane] = combine(before[lane], before[lane ^ offset]);
    }
    return values[0];
  }

  template <class Function>
  void for_each_thread(const Function& f) const {
    for (int i = 0; i < grid_.num_threads; ++i) f(index_ % 2 == 0 ? i : grid_.num_threads - 1 - i);
  }

  int64_t index_;
  const Grid& grid_;
  std::vector<std::byte> shared_;
  size_t used_bytes_ = 0;
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
