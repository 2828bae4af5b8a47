#pragma once

#include <c10/util/ThreadLocalDebugInfo.h>

#include <cstdint>
#include <memory>

namespace transformer {

/// While it lives, counts the bytes that this thread's tensors take, on any device; what there was before counts
/// nothing.
class MemoryMeter {
 public:
  MemoryMeter();
  ~MemoryMeter();

  /// The most at any one time so far.
  int64_t peak_bytes() const;

 private:
  class Counter;
  std::shared_ptr<Counter> counter_;
  c10::DebugInfoGuard guard_;
};

}  // namespace transformer
