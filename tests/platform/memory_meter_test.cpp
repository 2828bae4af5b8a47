#include "platform/memory_meter.h"

#include <torch/types.h>

#include "catch.h"

namespace transformer {

TEST_CASE("memory meter keeps the peak of what was taken since it began") {
  const auto before = torch::ones({1000});
  const MemoryMeter meter;
  { const auto a = torch::ones({1000}), b = torch::ones({500}); }
  const auto c = torch::ones({100});
  CHECK(meter.peak_bytes() >= 6000);
  CHECK(meter.peak_bytes() < 7000);
}

}  // namespace transformer
