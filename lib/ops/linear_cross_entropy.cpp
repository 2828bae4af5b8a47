#include "ops/linear_cross_entropy.h"

#include <ATen/autocast_mode.h>

#include <algorithm>

namespace transformer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Rows in a block: few enough that its logits stay near the caches, enough that adding each block's share to the
/// gradient of the weights costs little beside the products.
int64_t block_rows(int64_t vocab) {
  static constexpr int64_t kBlockElements = int64_t{4} << 20;
  return std::clamp<int64_t>(kBlockElements / vocab, 256, 2048);
}

/// What products with `x` are computed in.
torch::ScalarType product_type(const torch::Tensor& x) {
  const auto device = x.device().type();
  return at::autocast::is_autocast_enabled(device) ? at::autocast::get_autocast_dtype(device) : x.scalar_type();
}

torch::Tensor at_least_float(const torch::Tensor& logits) {
  return logits.scalar_type() == torch::kDouble ? logits : logits.to(torch::kFloat);
}

class LinearCrossEntropy : public torch::autograd::Function<LinearCrossEntropy> {
 public:
  static variable_list forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weight,
                               const torch::Tensor& targets, double eps_ls, bool needs_gradient) {
    const int64_t tokens = x.size(0), vocab = weight.size(0);
    const auto type = product_type(x);
    const auto product_x = x.to(type), product_weight = weight.to(type);
    const auto sum_type = x.scalar_type() == torch::kDouble ? torch::kDouble : torch::kFloat;
    auto loss = torch::zeros({}, x.options().dtype(sum_type));
    auto likelihood = torch::zeros_like(loss);
    torch::Tensor x_gradient, weight_gradient;
    if (needs_gradient) {
      x_gradient = torch::empty_like(x);
      weight_gradient = torch::zeros_like(weight);
    }
    for (int64_t first = 0; first < tokens; first += block_rows(vocab)) {
      const int64_t last = std::min(first + block_rows(vocab), tokens);
      const auto rows = product_x.slice(0, first, last);                                            // [block, d_model]
      const auto block_targets = targets.slice(0, first, last).unsqueeze(1);                        // [block, 1]
      auto log_probs = torch::log_softmax(at_least_float(torch::mm(rows, product_weight.t())), 1);  // [block, vocab]
      const auto block_likelihood = -log_probs.gather(1, block_targets).sum();
      likelihood += block_likelihood;
      loss += (1 - eps_ls) * block_likelihood - eps_ls / static_cast<double>(vocab) * log_probs.sum();
      if (!needs_gradient) continue;
      // d loss / d logits = softmax(logits) - (1 - eps_ls) * onehot(target) - eps_ls / vocab
      auto gradient = log_probs.exp_().sub_(eps_ls / static_cast<double>(vocab));
      gradient.scatter_add_(1, block_targets, torch::full_like(block_targets, eps_ls - 1, gradient.options()));
      gradient = gradient.to(type);
      auto x_gradient_rows = x_gradient.slice(0, first, last);
      if (type == weight.scalar_type()) {
        torch::mm_out(x_gradient_rows, gradient, product_weight);
        weight_gradient.addmm_(gradient.t(), rows);
      } else {
        x_gradient_rows.copy_(torch::mm(gradient, product_weight));
        weight_gradient.add_(torch::mm(gradient.t(), rows));  // summed in the weight's own precision
      }
    }
    context->save_for_backward({x_gradient, weight_gradient});
    context->mark_non_differentiable({likelihood});
    return {loss, likelihood};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    return {saved[0] * gradients[0], saved[1] * gradients[0], {}, {}, {}};
  }
};

}  // namespace

LossSums linear_cross_entropy(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& targets,
                              double eps_ls) {
  TORCH_CHECK(x.dim() == 2 && weight.dim() == 2 && x.size(1) == weight.size(1) && targets.dim() == 1 &&
                  targets.size(0) == x.size(0),
              "x ", x.sizes(), ", weight ", weight.sizes(), ", targets ", targets.sizes());
  const bool needs_gradient = torch::GradMode::is_enabled() && (x.requires_grad() || weight.requires_grad());
  const auto sums = LinearCrossEntropy::apply(x, weight, targets, eps_ls, needs_gradient);
  return {sums[0], sums[1]};
}

torch::Tensor target_log_probs(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& targets) {
  torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> blocks;
  for (int64_t first = 0; first < x.size(0); first += block_rows(weight.size(0))) {
    const int64_t last = std::min(first + block_rows(weight.size(0)), x.size(0));
    const auto logits = torch::linear(x.slice(0, first, last), weight);    // [block, vocab]
    const auto log_probs = torch::log_softmax(at_least_float(logits), 1);  // [block, vocab]
    blocks.push_back(log_probs.gather(1, targets.slice(0, first, last).unsqueeze(1)).squeeze(1));
  }
  return torch::cat(blocks);
}

LossSums plain_linear_cross_entropy(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& targets,
                                    double eps_ls) {
  const auto log_probs = torch::log_softmax(at_least_float(torch::linear(x, weight)), 1);  // [tokens, vocab]
  const auto likelihood = -log_probs.gather(1, targets.unsqueeze(1)).sum();
  const auto uniform = -log_probs.mean(1).sum();
  return {(1 - eps_ls) * likelihood + eps_ls * uniform, likelihood.detach()};
}

}  // namespace transformer
