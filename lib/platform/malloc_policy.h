#pragma once

namespace transformer {

/// What the C library's allocator does with memory that the program frees.
enum class MallocPolicy {
  /// Freed blocks of 128 KiB or more go back to the operating system immediately. For loading a model, which allocates
  /// large blocks of many sizes: by default glibc soon serves such blocks from the heap, where a freed block is too
  /// small for the next one and stays occupied.
  return_large_blocks,
  /// Freed memory stays in the process. For training steps and searches, which allocate the same large blocks again and
  /// again: writing to fresh pages is several times slower than writing to pages that are already mapped.
  keep_freed_memory,
};

/// Sets the policy for the whole process, from now on.
void set_malloc_policy(MallocPolicy policy);

/// While a model is loaded and packed: sets return_large_blocks, because packing replaces each matrix by one of another
/// layout and the old ones must not stay in the heap; then returns free memory and sets keep_freed_memory.
class LoadingMallocPolicy {
 public:
  LoadingMallocPolicy();
  ~LoadingMallocPolicy();
  LoadingMallocPolicy(const LoadingMallocPolicy&) = delete;
  LoadingMallocPolicy& operator=(const LoadingMallocPolicy&) = delete;
};

/// Makes all threads that start from now on allocate from one heap. Each of glibc's further heaps, which it gives to
/// threads by default, holds no block above 64 MB, so that larger ones would be new pages whenever they are allocated.
void use_one_heap();
/// Undoes use_one_heap, for threads that allocate many small blocks and would wait for each other. Call it before the
/// first of them starts.
void use_a_heap_for_each_thread();

/// Returns all memory that is free at present to the operating system.
void return_freed_memory();

}  // namespace transformer
