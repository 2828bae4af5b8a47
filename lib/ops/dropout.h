#pragma once

#include <torch/torch.h>

namespace transformer {

/// Dropout (§5.4): each element zero with probability `p`, divided by 1 - p otherwise. Which ones follows from one
/// number drawn from LibTorch's default generator and from the element's place, so the mask is never stored: the
/// backward pass makes it again, and threads share the work. x of any shape. Where `training` is false, x itself.
torch::Tensor counter_dropout(const torch::Tensor& x, double p, bool training);

}  // namespace transformer
