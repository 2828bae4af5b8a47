#include "training/set_up_process.h"

#include "kernels/cpu_kernels.h"
#include "ops/precision.h"
#include "platform/malloc_policy.h"

namespace transformer {

void set_up_process(const TrainingConfig& config) {
  set_malloc_policy(MallocPolicy::keep_freed_memory);
  enable_cpu_kernels(config.cpu_kernels);
  allow_tf32(config.tf32);
}

}  // namespace transformer
