#include "model/masks.h"

namespace transformer {

torch::Tensor padding_mask(const torch::Tensor& tokens, int64_t pad) {
  return tokens.ne(pad).unsqueeze(1).unsqueeze(1);  // [B, 1, 1, S]
}

torch::Tensor causal_mask(int64_t T, torch::Device device) {
  return torch::ones({T, T}, torch::TensorOptions(torch::kBool).device(device)).tril();
}

}  // namespace transformer
