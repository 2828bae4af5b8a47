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
    extern __shared__ float4 memory[];
    T* values = reinterpret_cast<T*>(memory) + used_;
    used_ += count;
    return values;
  }

  template <class Function>
  __device__ void each(int count, const Function& f) const {
    for (int i = threadIdx.x; i < count; i += blockDim.x) f(i);
    __syncthreads();
  }

  template <class T, class Sum, class Function>
  __device__ T reduce(int count, const T& zero, const Sum& add, const Function& f) const {
    __shared__ T warps[kMaxThreads / kWarpSize];
    const int lane = threadIdx.x % kWarpSize;
    T total = zero;
    for (int i = threadIdx.x; i < count; i += blockDim.x) total = add(total, f(i));
    total = add_lanes(total, add);
    if (lane == 0) warps[threadIdx.x / kWarpSize] = total;
    __syncthreads();
    total = add_lanes(lane < blockDim.x / kWarpSize ? warps[lane] : zero, add);  // in each warp
    __syncthreads();                                                             // the next reduction writes here, too
    return total;
  }

  template <class Function>
  __device__ void once(const Function& f) const {
    if (threadIdx.x == 0) f();
    __syncthreads();
  }

 private:
  /// The sum over the threads of this warp, for each of them.
  template <class T, class Sum>
  __device__ static T add_lanes(T total, const Sum& add) {
    for (int offset = 16; offset > 0; offset /= 2) total = add(total, other_lane(total, offset));
    return total;
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

  int used_ = 0;
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
