#pragma once

#include <c10/util/ThreadLocalDebugInfo.h>

#include <cstdint>
#include <memory>

namespace transformer {

/// Counts the bytes of the tensors that this thread allocates and frees during the meter's lifetime, on any device.
class MemoryMeter {
 public:
  MemoryMeter();
  ~MemoryMeter();

  /// The largest number of bytes in use at one time since construction; tensors that existed before do not count.
  int64_t peak_bytes() const;

 private:
  class Counter;
  std::shared_ptr<Counter> counter_;
  c10::DebugInfoGuard guard_;
};

}  // namespace transformer
