#pragma once

namespace transformer {

/// Sets the number of threads, at least 1, of the LibTorch operations that the calling thread begins, whatever number
/// other threads set. at::set_num_threads alone would not do: it also sets the number that each thread takes over which
/// has not yet asked for its own (ATen/ParallelOpenMP.cpp), and so may that of another thread, set a moment later.
void set_own_threads(int num_threads);

}  // namespace transformer
