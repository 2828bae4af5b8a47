#include "model/joint_linear.h"

#include "ops/product_type.h"

namespace transformer {

std::vector<torch::Tensor> JointLinear::operator()(const torch::Tensor& x) {
  if (packed_) return packed_->multiply(x).split_with_sizes(outs_, 1);
  const auto copies = for_products(x, parts_.size());
  std::vector<torch::Tensor> products;
  for (size_t i = 0; i < parts_.size(); ++i) products.push_back(parts_[i](copies[i]));
  return products;
}

void JointLinear::pack(WeightType type) {
  std::vector<torch::Tensor> weights;
  for (auto& part : parts_) {
    weights.push_back(part->take_weight());
    outs_.push_back(weights.back().size(0));
  }
  packed_ = pack_weight(torch::cat(weights), {}, type);
}

}  // namespace transformer
