#pragma once

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cstdint>
#include <type_traits>

// GPU kernels are written against a small interface of a block of threads, so that the same source runs on a GPU
// (CudaBlock) and, in tests, block by block on the host (tests/host_block.h). A kernel is a struct of arguments
// with `template <class Block> TRANSFORMER_GPU void operator()(Block& block) const`, and a block has
//
//   index(), count()           its number and the number of blocks
//   shared<T>(n)               memory for n values that its threads share; not initialized; T is aligned like float
//   each(n, f)                 calls f(i) for 0 <= i < n, distributed over the threads: thread t takes t,
//                              t + num_threads, ...
//   reduce(n, identity, combine, f)
//                              combines f(0), ..., f(n - 1) with the associative and commutative operation `combine`,
//                              whose identity is `identity`, in an order that depends on n and the number of threads
//                              alone; every thread gets the result
//   once(f)                    calls f() in one thread
//
// Each of the last three ends when all threads are done.

#ifdef __CUDACC__
#define TRANSFORMER_GPU __device__ __forceinline__
#else
#define TRANSFORMER_GPU inline
#endif

namespace transformer::gpu {

/// The launch configuration of a kernel: the number of blocks, and the threads and shared memory of each.
struct Grid {
  int64_t num_blocks;
  int num_threads;      // a multiple of kWarpSize, at most kMaxThreads
  size_t shared_bytes;  // of all its `shared` arrays, at most kMaxSharedBytes - kReductionBytes
};

inline constexpr int kWarpSize = 32, kMaxThreads = 1024;
inline constexpr size_t kMaxSharedBytes = 48 * 1024;  // that a block gets without a special attribute of the launch
inline constexpr size_t kReductionBytes = 1024;       // the part of them for the partial results of `reduce`

/// The number of threads for a row of `width` elements, of which each thread takes `vector_size` at once: one for each
/// vector, in whole warps, but at most kMaxThreads.
inline int threads_for(int width, int vector_size) {
  const int whole_warps = (width / vector_size + kWarpSize - 1) / kWarpSize * kWarpSize;
  return whole_warps < kMaxThreads ? whole_warps : kMaxThreads;
}

/// n neighboring elements of a row, which a thread reads and writes at once and computes with in fp32.
template <int n>
struct Floats {
  float values[n];

  TRANSFORMER_GPU float& operator[](int i) { return values[i]; }
  TRANSFORMER_GPU float operator[](int i) const { return values[i]; }
  TRANSFORMER_GPU float sum() const {
    float total = values[0];
    for (int i = 1; i < n; ++i) total += values[i];
    return total;
  }
};

/// operation(0), ..., operation(n - 1).
template <int n, class Operation>
TRANSFORMER_GPU Floats<n> generate(Operation operation) {
  Floats<n> result;
  for (int i = 0; i < n; ++i) result[i] = operation(i);
  return result;
}

template <class Element, int n>
struct alignas(sizeof(Element) * n) AlignedVector {
  Element values[n];
};

/// `from` is aligned to n elements.
template <int n, class Element>
TRANSFORMER_GPU Floats<n> load(const Element* from) {
  const auto vector = *reinterpret_cast<const AlignedVector<Element, n>*>(from);
  return generate<n>([&](int i) { return static_cast<float>(vector.values[i]); });
}

template <int n, class Element>
TRANSFORMER_GPU void store(Element* to, const Floats<n>& values) {
  AlignedVector<Element, n> vector;
  for (int i = 0; i < n; ++i) vector.values[i] = static_cast<Element>(values[i]);
  *reinterpret_cast<AlignedVector<Element, n>*>(to) = vector;
}

struct Add {
  TRANSFORMER_GPU float operator()(float a, float b) const { return a + b; }
};

/// Elements of one of three types.
struct Elements {
  enum class Type { fp32, bf16, fp16 };
  void* data;
  Type type;
};

/// Calls f with a null pointer to the type of the elements.
template <class Function>
void with_type_of(const Elements& elements, const Function& f) {
  switch (elements.type) {
    case Elements::Type::fp32:
      return f(static_cast<float*>(nullptr));
    case Elements::Type::bf16:
      return f(static_cast<c10::BFloat16*>(nullptr));
    case Elements::Type::fp16:
      return f(static_cast<c10::Half*>(nullptr));
  }
}

/// How many elements of a row a thread takes at once.
inline int vector_size_for(int width) { return width % 4 == 0 ? 4 : 1; }

/// Calls f with vector_size_for(width), as a std::integral_constant.
template <class Function>
void with_vector_size(int width, const Function& f) {
  if (vector_size_for(width) == 4) {
    f(std::integral_constant<int, 4>());
  } else {
    f(std::integral_constant<int, 1>());
  }
}

}  // namespace transformer::gpu
