#include "ops/top_tokens.h"

#include <algorithm>

#include "kernels/cpu/top_tokens.h"
#include "kernels/cpu_kernels.h"
#include "kernels/gpu/launch.h"
#include "kernels/gpu_kernels.h"

namespace transformer {

TopTokens top_tokens(const torch::Tensor& logits, int64_t count) {
  count = std::min(count, logits.size(1));
  if (use_gpu_kernel({logits})) return gpu::top_tokens(logits.contiguous(), count);
  const auto floats = logits.to(torch::kFloat);
  if (use_cpu_kernel({floats})) return cpu::top_tokens(floats.contiguous(), count);
  const auto [values, tokens] = floats.topk(count, 1);
  const auto logsumexp = floats.logsumexp(1);
  return {tokens, values - logsumexp.unsqueeze(1), logsumexp};
}

}  // namespace transformer
