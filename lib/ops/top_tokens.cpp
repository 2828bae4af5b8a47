#include "ops/top_tokens.h"

#include <algorithm>

#include "kernels/cpu/top_k.h"
#include "kernels/cpu_kernels.h"
#include "kernels/gpu/launch.h"
#include "kernels/gpu_kernels.h"

namespace transformer {

TopTokens top_tokens(const torch::Tensor& logits, int64_t count) {
  count = std::min(count, logits.size(1));
  const bool on_gpu = use_gpu_kernel({logits});
  if (!on_gpu && use_cpu_kernel({logits})) {
    const auto [tokens, log_probs, log_sums] = cpu::top_k(logits.contiguous(), count);
    return {tokens, log_probs, log_sums};
  }
  const auto [values, tokens] = logits.topk(count, 1);
  torch::Tensor log_sums;
  if (on_gpu) {  // one kernel instead of the nine of logsumexp
    const auto first = tokens.select(1, 0).contiguous();
    const auto losses = gpu::cross_entropy_in_place(logits.contiguous(), first, /*eps_ls=*/0, /*needs_gradient=*/false);
    log_sums = losses.negative_log_likelihoods + values.select(1, 0);
  } else {
    log_sums = logits.logsumexp(1);
  }
  return {tokens, values - log_sums.unsqueeze(1), log_sums};
}

}  // namespace transformer
