// A GPU that computes on the host: LibTorch's backend for CUDA, of which a LibTorch for CPUs has none. Operations run
// on the CPU, with the rules of a GPU: all tensors of an operation are on the device, its memory is accessible to
// kernels only, and a non-blocking copy to the host has its values only after a synchronization. The environment
// variables STAND_IN_... are described in cuda_library.cpp, device_memory.h, failing_operation.h and below.

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/core/impl/alloc_cpu.h>
#include <torch/library.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iostream>
#include <mutex>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "device_memory.h"
#include "failing_operation.h"
#include "on_host.h"
#include "stand_in_attention.h"

namespace transformer::stand_in {
namespace {

int device_count() {
  const char* count = std::getenv("STAND_IN_DEVICES");
  return count == nullptr ? 1 : std::atoi(count);
}

/// Written at the end of the program, which calls no destructors, if STAND_IN_COUNTS is set.
struct Counts {
  Counts();
  void write() const {
    if (std::getenv("STAND_IN_COUNTS") == nullptr) return;
    std::cerr << "\nwaits " << waits << "\nemptied " << emptied << "\noperations";
    for (int device = 0; device < device_count(); ++device) std::cerr << " " << operations[device];
    std::cerr << std::endl;
  }
  std::atomic<int64_t> waits = 0;                    // of the host for all that it had launched
  std::atomic<int64_t> emptied = 0;                  // how often the allocator was asked to empty its cache
  std::array<std::atomic<int64_t>, 8> operations{};  // on each device, our kernels and copies included
} counts;

Counts::Counts() {
  std::at_quick_exit([] { counts.write(); });
}

// Copies to the host that nobody has waited for.

struct PendingCopy {
  at::Tensor target, values;  // both in CPU memory
};

std::recursive_mutex pending_mutex;  // a copy may be observed by what records events
std::deque<PendingCopy> pending;
size_t completed = 0;  // copies that are there; the first of `pending` has this number

size_t num_copies() {
  const std::lock_guard lock(pending_mutex);
  return completed + pending.size();
}

void copy_later(const at::Tensor& target, const at::Tensor& values) {
  const std::lock_guard lock(pending_mutex);
  std::memset(target.mutable_data_ptr(), 0xff, target.nbytes());  // NaN, -1
  pending.push_back({target, values});
}

/// Performs the copies that were launched before that of this number.
void complete_copies(size_t end) {
  const std::lock_guard lock(pending_mutex);
  for (; completed < end; ++completed) {
    pending.front().target.copy_(pending.front().values);
    pending.pop_front();
  }
}

void wait_for_all() {
  ++counts.waits;
  complete_copies(num_copies());
}

/// An event: when it was recorded, and the number of copies launched before.
struct Event {
  Clock::time_point time;
  size_t copies;
};

/// Whether this is the rank whose GPU fails; every one if none is named.
bool fails() {
  const char *failing = std::getenv("STAND_IN_FAILING_RANK"), *rank = std::getenv("RANK");
  return failing == nullptr || (rank != nullptr && std::string(failing) == rank);
}

// Memory and devices.

thread_local c10::DeviceIndex current_device = 0;

class Allocator final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    void* block = DeviceMemory::instance().allocate(bytes, current_device);
    return {block, block, free_block, c10::Device(c10::kCUDA, current_device)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return free_block; }
  void copy_data(void* target, const void* source, size_t bytes) const override {
    const KernelScope kernel;
    std::memcpy(target, source, bytes);
  }
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override { ++counts.emptied; }
  void recordStream(const c10::DataPtr&, c10::Stream) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex) override {
    c10::CachingDeviceAllocator::DeviceStats stats;
    stats.reserved_bytes[0].current = static_cast<int64_t>(DeviceMemory::instance().used());
    stats.reserved_bytes[0].peak = static_cast<int64_t>(DeviceMemory::instance().peak());
    return stats;
  }
  void resetAccumulatedStats(c10::DeviceIndex) override {}
  void resetPeakStats(c10::DeviceIndex) override {}

 private:
  static void free_block(void* block) { DeviceMemory::instance().free(block); }
};

std::atomic<bool> has_failed = false;  // after which every call reports the failure

[[noreturn]] void throw_failure(const std::string& where) {
  {
    const std::lock_guard lock(pending_mutex);
    pending.clear();
  }
  has_failed = true;
  throw c10::AcceleratorError({__func__, __FILE__, __LINE__}, 719,
                              "CUDA error: unspecified launch failure in " + where);
}

/// Of pinned memory. Like LibTorch's, it records an event when memory is freed, which fails on a GPU that has failed.
class PinnedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    void* block = c10::alloc_cpu(bytes);
    return {block, block, free_block, c10::kCPU};
  }
  c10::DeleterFnPtr raw_deleter() const override { return free_block; }
  void copy_data(void* target, const void* source, size_t bytes) const override { std::memcpy(target, source, bytes); }

 private:
  static void free_block(void* block) {
    c10::free_cpu(block);
    if (has_failed) throw_failure("cudaEventRecord");
  }
} pinned_allocator;

class DeviceGuard final : public c10::impl::DeviceGuardImplInterface {
 public:
  c10::DeviceType type() const override { return c10::kCUDA; }
  c10::Device exchangeDevice(c10::Device device) const override {
    return {c10::kCUDA, std::exchange(current_device, device.index())};
  }
  c10::Device getDevice() const override { return {c10::kCUDA, current_device}; }
  void setDevice(c10::Device device) const override { current_device = device.index(); }
  void uncheckedSetDevice(c10::Device device) const noexcept override { current_device = device.index(); }
  c10::Stream getStream(c10::Device device) const override {
    return c10::Stream(c10::Stream::DEFAULT, with_index(device));
  }
  c10::Stream getDefaultStream(c10::Device device) const override { return getStream(device); }
  c10::Stream exchangeStream(c10::Stream stream) const override { return stream; }
  void record(void** event, const c10::Stream& stream, c10::DeviceIndex, c10::EventFlag) const override {
    TORCH_CHECK(current_device == stream.device_index(), "an event on device ", int{stream.device_index()},
                " while device ", int{current_device},
                " is current: a real GPU would create a CUDA context on the latter");
    if (*event == nullptr) *event = new Event;
    *static_cast<Event*>(*event) = {Clock::now(), num_copies()};
  }
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override { delete static_cast<Event*>(event); }
  double elapsedTime(void* begin, void* end, c10::DeviceIndex) const override {
    const auto elapsed = static_cast<Event*>(end)->time - static_cast<Event*>(begin)->time;
    return std::chrono::duration<double, std::milli>(elapsed).count();
  }
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  c10::DeviceIndex deviceCount() const noexcept override { return static_cast<c10::DeviceIndex>(device_count()); }
  bool queryStream(const c10::Stream&) const override { return true; }
  void synchronizeStream(const c10::Stream&) const override { wait_for_all(); }
  void synchronizeEvent(void* event) const override {
    if (event != nullptr) complete_copies(static_cast<Event*>(event)->copies);
  }
  void synchronizeDevice(c10::DeviceIndex) const override { wait_for_all(); }

 private:
  static c10::Device with_index(c10::Device device) {
    return device.has_index() ? device : c10::Device(c10::kCUDA, current_device);
  }
};

// Operations.

at::Tensor on_device(const at::Tensor& x) {
  auto y = at::empty_strided(x.sizes(), x.strides(), x.options().device(c10::kCUDA, current_device));
  on_host(y).copy_(x);
  return y;
}

/// The arguments of an operation while it runs on the host.
class HostArguments {
 public:
  explicit HostArguments(const std::string& operation) : operation_(operation) {}

  c10::IValue to_host(const c10::IValue& value) {
    if (value.isTensor()) return move(value.toTensor());
    if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& x : value.toTensorVector()) list.push_back(move(x));
      return list;
    }
    if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> list;
      for (const std::optional<at::Tensor>& x : value.toOptionalTensorList()) {
        list.push_back(x ? std::optional(move(*x)) : std::nullopt);
      }
      return list;
    }
    if (value.isDevice()) {
      device_ = value.toDevice();
      return c10::Device(c10::kCPU);
    }
    return value;
  }

  /// An argument that was returned stays itself; what is new is copied to the device.
  c10::IValue to_device(const c10::IValue& value) {
    if (value.isTensor()) return move_back(value.toTensor());
    if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& x : value.toTensorVector()) list.push_back(move_back(x));
      return list;
    }
    return value;
  }

  /// Of the arguments, or the one that the operation is asked for, or the current one.
  c10::Device device() const { return device_.value_or(c10::Device(c10::kCUDA, current_device)); }

  /// Gives arguments that the operation resized their new size.
  void update_sizes() {
    for (const auto& [device, host] : moved_) {
      if (host.sizes() == device.sizes()) continue;
      device.resize_(host.sizes());
      on_host(device).copy_(host);
    }
  }

 private:
  at::Tensor move(const at::Tensor& x) {
    if (!x.defined()) return x;
    TORCH_CHECK(x.is_cuda() || (x.is_cpu() && x.dim() == 0), operation_,
                ": expected all tensors to be on the GPU, but found one of sizes ", x.sizes(), " on ", x.device());
    if (x.is_cuda()) {
      TORCH_CHECK(!device_ || x.device() == *device_, operation_, ": tensors on ", *device_, " and ", x.device());
      device_ = x.device();
    }
    moved_.emplace_back(x, on_host(x));
    return moved_.back().second;
  }

  at::Tensor move_back(const at::Tensor& x) const {
    if (!x.defined()) return x;
    for (const auto& [device, host] : moved_) {
      if (host.is_same(x)) return device;
    }
    TORCH_CHECK(!DeviceMemory::instance().contains(x.const_data_ptr()), operation_, ": the result is a view");
    return on_device(x);
  }

  const std::string& operation_;
  std::optional<c10::Device> device_;
  std::vector<std::pair<at::Tensor, at::Tensor>> moved_;
};

void run_on_host(const c10::OperatorHandle& operation, c10::DispatchKeySet, torch::jit::Stack* stack) {
  const auto& schema = operation.schema();
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const KernelScope kernel;
  HostArguments arguments(schema.name());
  for (size_t i = stack->size() - schema.arguments().size(); i < stack->size(); ++i) {
    (*stack)[i] = arguments.to_host((*stack)[i]);
  }
  const c10::DeviceGuard guard(arguments.device());
  count_operation(schema.name());
  operation.callBoxed(stack);
  arguments.update_sizes();
  for (size_t i = stack->size() - schema.returns().size(); i < stack->size(); ++i) {
    (*stack)[i] = arguments.to_device((*stack)[i]);
  }
}

at::Tensor& copy(at::Tensor& self, const at::Tensor& source, bool non_blocking) {
  count_operation("aten::copy_");
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const KernelScope kernel;
  const bool to_host = self.is_cpu() && source.is_cuda();
  if (to_host && non_blocking) {
    copy_later(self, on_host(source).to(self.scalar_type(), /*non_blocking=*/false, /*copy=*/true));
    return self;
  }
  if (to_host) wait_for_all();
  on_host(self).copy_(on_host(source));
  return self;
}

at::Scalar value_of(const at::Tensor& x) {
  const KernelScope kernel;
  wait_for_all();
  return on_host(x).item();
}

at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides, std::optional<at::ScalarType> type,
                         std::optional<at::Layout>, std::optional<at::Device> device, std::optional<bool>) {
  const c10::DeviceGuard guard(device.value_or(c10::Device(c10::kCUDA, current_device)));
  auto* allocator = c10::GetAllocator(c10::kCUDA);
  return at::detail::empty_strided_generic(sizes, strides, allocator, c10::DispatchKeySet(c10::DispatchKey::CUDA),
                                           type.value_or(at::kFloat));
}

at::Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> type, std::optional<at::Layout>,
                 std::optional<at::Device> device, std::optional<bool>, std::optional<at::MemoryFormat> format) {
  const c10::DeviceGuard guard(device.value_or(c10::Device(c10::kCUDA, current_device)));
  auto* allocator = c10::GetAllocator(c10::kCUDA);
  return at::detail::empty_generic(sizes, allocator, c10::DispatchKeySet(c10::DispatchKey::CUDA),
                                   type.value_or(at::kFloat), format);
}

Allocator allocator;
REGISTER_ALLOCATOR(c10::kCUDA, &allocator);
C10_REGISTER_GUARD_IMPL(CUDA, DeviceGuard);
const StandInAttention attention;  // on the host

}  // namespace

void count_operation(const std::string& name) {
  ++counts.operations.at(static_cast<size_t>(current_device));
  static std::atomic<int64_t> count = 0;
  static const char* const limit = fails() ? std::getenv("STAND_IN_FAILS_AFTER") : nullptr;
  static const char* const failing = fails() ? std::getenv("STAND_IN_FAILS_IN") : nullptr;
  if ((limit == nullptr || ++count <= std::atoll(limit)) && (failing == nullptr || name != failing)) return;
  throw_failure(name);
}

TORCH_LIBRARY_IMPL(_, CUDA, library) { library.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_host>()); }

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
  library.impl("empty.memory_format", empty);
  library.impl("empty_strided", empty_strided);
  library.impl("view", at::native::view);
  library.impl("as_strided", at::native::as_strided_tensorimpl);
  library.impl("_reshape_alias", at::native::_reshape_alias);
  library.impl("resize_", at::native::resize_);
  library.impl("copy_", copy);
  library.impl("_local_scalar_dense", value_of);
  for (const char* name : {"_flash_attention_forward", "_flash_attention_backward", "_efficient_attention_forward",
                           "_efficient_attention_backward"}) {
    library.impl(name, torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
  }
}

}  // namespace transformer::stand_in

namespace at {

/// What the CPU half of LibTorch asks about CUDA. LibTorch looks for a class of this name.
struct CUDAHooks : CUDAHooksInterface {
  explicit CUDAHooks(CUDAHooksArgs) {}
  void init() const override {}
  bool hasCUDA() const override { return true; }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(DeviceIndex) const override { return true; }
  int getNumGPUs() const override { return transformer::stand_in::device_count(); }
  DeviceIndex deviceCount() const override { return static_cast<DeviceIndex>(getNumGPUs()); }
  DeviceIndex current_device() const override { return transformer::stand_in::current_device; }
  DeviceIndex getCurrentDevice() const override { return transformer::stand_in::current_device; }
  const Generator& getDefaultGenerator(DeviceIndex) const override { return detail::getDefaultCPUGenerator(); }
  Allocator* getPinnedMemoryAllocator() const override { return &transformer::stand_in::pinned_allocator; }
};

REGISTER_CUDA_HOOKS(CUDAHooks);

}  // namespace at
