#include "training/label_smoothing.h"

namespace transformer {

LossSums label_smoothed_cross_entropy(const torch::Tensor& decoder_output, const torch::Tensor& weight,
                                      const torch::Tensor& target_out, double eps_ls, int64_t pad) {
  TORCH_CHECK(decoder_output.dim() == 3 && target_out.dim() == 2, "decoder output ", decoder_output.sizes(),
              " for targets ", target_out.sizes());
  auto rows = decoder_output.flatten(0, 1);  // [B * T, d_model]
  auto targets = target_out.flatten();       // [B * T]
  const auto real = targets.ne(pad).nonzero().squeeze(1);
  if (real.size(0) != targets.size(0)) {
    rows = rows.index_select(0, real);  // [tokens, d_model]
    targets = targets.index_select(0, real);
  }
  return linear_cross_entropy(rows, weight, targets, eps_ls);
}

}  // namespace transformer
