#include "ops/top_tokens.h"

#include <algorithm>

#include "kernels/cpu/top_k.h"
#include "kernels/cpu_kernels.h"

namespace transformer {

TopTokens top_tokens(const torch::Tensor& logits, int64_t count) {
  count = std::min(count, logits.size(1));
  if (use_cpu_kernel({logits})) {
    const auto [tokens, log_probs, log_sums] = cpu::top_k(logits.contiguous(), count);
    return {tokens, log_probs, log_sums};
  }
  const auto log_sums = logits.logsumexp(1);
  const auto [values, tokens] = logits.topk(count, 1);
  return {tokens, values - log_sums.unsqueeze(1), log_sums};
}

}  // namespace transformer
