#include "platform/memory_meter.h"

#include <c10/core/Allocator.h>

#include <algorithm>

namespace transformer {

/// LibTorch's allocators report every block to the profiler of the thread; this class takes its place.
class MemoryMeter::Counter : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* /*block*/, int64_t bytes, size_t /*allocated*/, size_t /*reserved*/,
                         c10::Device /*device*/) override {
    bytes_ += bytes;
    peak_ = std::max(peak_, bytes_);
  }
  bool memoryProfilingEnabled() const override { return true; }

  int64_t peak() const { return peak_; }

 private:
  int64_t bytes_ = 0, peak_ = 0;
};

MemoryMeter::MemoryMeter()
    : counter_(std::make_shared<Counter>()), guard_(c10::DebugInfoKind::PROFILER_STATE, counter_) {}
MemoryMeter::~MemoryMeter() = default;

int64_t MemoryMeter::peak_bytes() const { return counter_->peak(); }

}  // namespace transformer
