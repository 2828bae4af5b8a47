#include "training/device_tokens.h"

#include "device/device.h"
#include "training/memory_estimate.h"

namespace transformer {

int64_t choose_device_tokens(const ModelConfig& model, const TrainingConfig& training, int64_t vocabulary_size,
                             torch::Device device, const ProcessGroup& group) {
  if (training.device_tokens) return *training.device_tokens;
  const MemoryEstimate estimate =
      estimate_memory(model, training.precision, vocabulary_size, training.shard_optimizer ? group.size() : 1);
  const int64_t memory = device_memory(device) / (device.is_cpu() ? group.local_size() : 1);
  return fitted_device_tokens(estimate, memory, device.is_cpu(), training.batch_tokens);
}

}  // namespace transformer
