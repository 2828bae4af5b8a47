#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>

namespace c10d {
class ProcessGroup;
class Store;
}  // namespace c10d

namespace transformer::stand_in {

/// Adds a backend to `group` for tensors on the stand-in GPU; as CudaLibrary::add_nccl.
void add_nccl(c10d::ProcessGroup& group, const c10::intrusive_ptr<c10d::Store>& store, int device,
              std::chrono::hours timeout);

}  // namespace transformer::stand_in
