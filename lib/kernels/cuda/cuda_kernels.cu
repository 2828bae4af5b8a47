// Compiled by nvcc, which reads none of LibTorch's larger headers.

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include "kernels/gpu/kernel_table.h"

namespace transformer::gpu {
namespace {

/// A block of threads (block.h) on a GPU.
class CudaBlock {
 public:
  __device__ int64_t index() const { return blockIdx.x; }
  __device__ int64_t count() const { return gridDim.x; }

  template <class T>
  __device__ T* shared(int count) {
    static_assert(alignof(T) == alignof(float), "arrays follow one another without gaps");
    extern __shared__ float4 memory[];
    T* values = reinterpret_cast<T*>(reinterpret_cast<char*>(memory) + used_bytes_);
    used_bytes_ += count * sizeof(T);
    return values;
  }

  template <class Function>
  __device__ void each(int count, const Function& f) const {
    for (int i = threadIdx.x; i < count; i += blockDim.x) f(i);
    __syncthreads();
  }

  template <class T, class Combine, class Function>
  __device__ T reduce(int count, const T& identity, const Combine& combine, const Function& f) const {
    __shared__ T warps[kMaxThreads / kWarpSize];
    const int lane = threadIdx.x % kWarpSize;
    T result = identity;
    for (int i = threadIdx.x; i < count; i += blockDim.x) result = combine(result, f(i));
    result = combine_lanes(result, combine);
    if (lane == 0) warps[threadIdx.x / kWarpSize] = result;
    __syncthreads();
    result = combine_lanes(lane < blockDim.x / kWarpSize ? warps[lane] : identity, combine);  // in each warp
    __syncthreads();  // the next reduction writes `warps`, too
    return result;
  }

  template <class Function>
  __device__ void once(const Function& f) const {
    if (threadIdx.x == 0) f();
    __syncthreads();
  }

 private:
  /// The combined value of this warp's lanes, in each lane.
  template <class T, class Combine>
  __device__ static T combine_lanes(T value, const Combine& combine) {
    for (int offset = 16; offset > 0; offset /= 2) value = combine(value, other_lane(value, offset));
    return value;
  }

  /// The value of the thread of this warp whose number differs in one bit.
  template <class T>
  __device__ static T other_lane(const T& value, int offset) {
    union Words {
      T value;
      int words[sizeof(T) / sizeof(int)];
      __device__ Words() {}
    } in, out;
    in.value = value;
    for (int i = 0; i < sizeof(T) / sizeof(int); ++i) {
      out.words[i] = __shfl_xor_sync(0xFFFFFFFF, in.words[i], offset);
    }
    return out.value;
  }

  int used_bytes_ = 0;
};

template <class Kernel>
__global__ void __launch_bounds__(kMaxThreads) run(const Kernel kernel) {
  CudaBlock block;
  kernel(block);
}

struct CudaLauncher {
  template <class Kernel>
  static void launch(const Kernel& kernel, const Grid& grid) {
    if (grid.num_blocks == 0) return;
    run<<<static_cast<unsigned>(grid.num_blocks), grid.num_threads, grid.shared_bytes,
          c10::cuda::getCurrentCUDAStream()>>>(kernel);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  }
};

}  // namespace

extern const KernelTable cuda_kernels;
const KernelTable cuda_kernels = make_kernel_table<CudaLauncher>();

}  // namespace transformer::gpu
