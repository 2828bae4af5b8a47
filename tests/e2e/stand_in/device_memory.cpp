#include "device_memory.h"

#include <c10/util/Exception.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace transformer::stand_in {
namespace {

constexpr size_t kReserved = size_t{1} << 36;  // of the address space
constexpr size_t kAlignment = 512;             // as LibTorch's allocator for CUDA
constexpr size_t kMuch = size_t{4} << 20;      // bytes at the end that are not kept for later

size_t limit_from_environment() {
  const char* bytes = std::getenv("STAND_IN_MEMORY");
  return bytes == nullptr ? size_t{1} << 30 : std::strtoull(bytes, nullptr, 10);
}

}  // namespace

DeviceMemory& DeviceMemory::instance() {
  static auto* memory = new DeviceMemory();  // outlives all tensors
  return *memory;
}

DeviceMemory::DeviceMemory() : limit_(limit_from_environment()) {
  void* region = mmap(nullptr, kReserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TORCH_CHECK(region != MAP_FAILED, "no address space for the stand-in GPU");
  begin_ = static_cast<std::byte*>(region);
}

void* DeviceMemory::allocate(size_t bytes, int device) {
  if (bytes == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  const size_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  TORCH_CHECK_WITH(OutOfMemoryError, used_ + size <= limit_, "CUDA out of memory. Tried to allocate ", size,
                   " bytes. GPU ", device, " has a total capacity of ", limit_, " bytes of which ", limit_ - used_,
                   " bytes is free. Including non-PyTorch memory, this process has ", used_, " bytes memory in use.");
  used_ += size;
  peak_ = std::max(peak_, used_);
  auto hole = std::find_if(free_.begin(), free_.end(), [&](const auto& block) { return block.second >= size; });
  size_t offset = touched_;
  if (hole == free_.end()) {
    touched_ += size;
    if (kernels_ > 0) set_access(true);
  } else {
    offset = hole->first;
    const size_t rest = hole->second - size;
    free_.erase(hole);
    if (rest > 0) free_[offset + size] = rest;
  }
  blocks_[offset] = size;
  return begin_ + offset;
}

void DeviceMemory::free(void* block) {
  if (block == nullptr) return;
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(static_cast<size_t>(static_cast<std::byte*>(block) - begin_));
  size_t offset = found->first, size = found->second;
  blocks_.erase(found);
  used_ -= size;
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && offset + size == next->first) {
    size += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      offset = previous->first;
      size += previous->second;
      free_.erase(previous);
    }
  }
  if (offset + size == touched_ && size >= kMuch) {
    give_back(offset);
  } else {
    free_[offset] = size;
  }
}

void DeviceMemory::give_back(size_t offset) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t first = (offset + page - 1) / page * page;
  if (first < touched_) {
    TORCH_CHECK(mprotect(begin_ + first, touched_ - first, PROT_NONE) == 0 &&
                    madvise(begin_ + first, touched_ - first, MADV_DONTNEED) == 0,
                "mprotect");
  }
  touched_ = offset;
}

bool DeviceMemory::contains(const void* address) const {
  const auto* byte = static_cast<const std::byte*>(address);
  return byte >= begin_ && byte < begin_ + kReserved;
}

void DeviceMemory::set_access(bool allowed) {
  if (touched_ == 0) return;
  TORCH_CHECK(mprotect(begin_, touched_, allowed ? PROT_READ | PROT_WRITE : PROT_NONE) == 0, "mprotect");
}

void DeviceMemory::begin_kernel() {
  const std::lock_guard lock(mutex_);
  if (++kernels_ == 1) set_access(true);
}

void DeviceMemory::end_kernel() {
  const std::lock_guard lock(mutex_);
  if (--kernels_ == 0) set_access(false);
}

}  // namespace transformer::stand_in
