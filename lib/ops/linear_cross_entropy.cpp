#include "ops/linear_cross_entropy.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/cpu/cross_entropy.h"
#include "kernels/cpu_kernels.h"
#include "kernels/gpu/launch.h"
#include "kernels/gpu_kernels.h"
#include "ops/linear.h"
#include "ops/product_type.h"

namespace transformer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Sums over a block of rows, and the gradient of the loss with respect to the logits.
struct BlockLoss {
  torch::Tensor loss, negative_log_likelihood;  // [], fp32 at least
  torch::Tensor gradient;                       // [block, vocab], in the type of products; may reuse the logits' memory
};

/// d loss / d logits = softmax(logits) - (1 - eps_ls) * onehot(target) - eps_ls / vocab
BlockLoss plain_block_loss(const torch::Tensor& logits, const torch::Tensor& targets, double eps_ls,
                           bool needs_gradient) {
  const double share = eps_ls / static_cast<double>(logits.size(1));
  const auto target_columns = targets.unsqueeze(1);               // [block, 1]
  auto log_probs = torch::log_softmax(at_least_fp32(logits), 1);  // [block, vocab]
  const auto nll = -log_probs.gather(1, target_columns).sum();
  BlockLoss block{(1 - eps_ls) * nll - share * log_probs.sum(), nll, {}};
  if (needs_gradient) {
    auto gradient = log_probs.exp_().sub_(share);
    gradient.scatter_add_(1, target_columns, torch::full_like(target_columns, eps_ls - 1, gradient.options()));
    block.gradient = gradient.to(logits.scalar_type());
  }
  return block;
}

BlockLoss block_loss(const torch::Tensor& logits, const torch::Tensor& targets, double eps_ls, bool needs_gradient,
                     torch::ScalarType product_type) {
  if (use_gpu_kernel({logits})) {
    const auto [losses, nlls] = gpu::cross_entropy_in_place(logits, targets, eps_ls, needs_gradient);
    return {losses.sum(), nlls.sum(), logits};
  }
  if (!use_cpu_kernel({logits})) return plain_block_loss(logits, targets, eps_ls, needs_gradient);
  // In bf16, the gradient of a row takes the first half of the memory of the row's fp32 logits.
  const auto gradient = logits.view(product_type).slice(1, 0, logits.size(1));
  const auto [loss, nll] =
      cpu::cross_entropy_in_place(logits, targets, eps_ls, needs_gradient ? gradient : torch::Tensor());
  return {loss, nll, gradient};
}

class LinearCrossEntropy : public torch::autograd::Function<LinearCrossEntropy> {
 public:
  static variable_list forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weight,
                               const torch::Tensor& targets, double eps_ls, const std::optional<torch::Tensor>& bias,
                               bool needs_gradient) {
    RECORD_USER_SCOPE("loss");
    const int64_t tokens = x.size(0), vocab = weight.size(0);
    const auto type = product_type(x);
    const auto product_x = x.to(type), product_weight = weight.to(type);
    const auto sum_type = x.scalar_type() == torch::kDouble ? torch::kDouble : torch::kFloat;
    auto loss = torch::zeros({}, x.options().dtype(sum_type));
    auto nll = torch::zeros_like(loss);
    torch::Tensor x_gradient, weight_gradient, bias_gradient;
    if (needs_gradient) {
      x_gradient = torch::empty_like(x);
      weight_gradient = torch::zeros_like(weight);
      if (bias) bias_gradient = torch::zeros_like(*bias);
    }
    const auto logits_type = use_bf16_product(x) ? torch::kFloat : type;
    const int64_t block_rows = loss_block_rows(use_gpu_kernel({x}), vocab);
    for (int64_t first = 0; first < tokens; first += block_rows) {
      const int64_t last = std::min(first + block_rows, tokens);
      const auto rows = product_x.slice(0, first, last);  // [block, d_model]
      auto logits = torch::empty({last - first, vocab}, x.options().dtype(logits_type));
      if (bias) logits.copy_(*bias);
      add_product(logits, rows, product_weight.t(), /*add=*/bias.has_value());
      const BlockLoss block = block_loss(logits, targets.slice(0, first, last), eps_ls, needs_gradient, type);
      nll += block.negative_log_likelihood;
      loss += block.loss;
      if (!needs_gradient) continue;
      if (bias) bias_gradient.add_(block.gradient.sum(0, /*keepdim=*/false, bias->scalar_type()));
      add_product(x_gradient.slice(0, first, last), block.gradient, product_weight, /*add=*/false);
      add_product(weight_gradient, block.gradient.t(), rows, /*add=*/true);
    }
    context->save_for_backward({x_gradient, weight_gradient, bias_gradient});
    context->mark_non_differentiable({nll});
    return {loss, nll};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    RECORD_USER_SCOPE("loss");
    const auto saved = context->get_saved_variables();
    const auto by_bias = saved[2].defined() ? saved[2].mul_(gradients[0]) : torch::Tensor();
    return {saved[0].mul_(gradients[0]), saved[1].mul_(gradients[0]), {}, {}, by_bias, {}};
  }
};

}  // namespace

int64_t loss_block_rows(bool is_gpu, int64_t vocab) {
  static constexpr int64_t kCpuBlockElements = int64_t{4} << 20, kGpuBlockElements = int64_t{128} << 20;
  return is_gpu ? kGpuBlockElements / vocab + 1 : std::clamp<int64_t>(kCpuBlockElements / vocab, 256, 2048);
}

LossSums linear_cross_entropy(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& targets,
                              double eps_ls, const torch::Tensor& bias) {
  TORCH_CHECK(x.dim() == 2 && weight.dim() == 2 && x.size(1) == weight.size(1) && targets.dim() == 1 &&
                  targets.size(0) == x.size(0),
              "x ", x.sizes(), ", weight ", weight.sizes(), ", targets ", targets.sizes());
  const bool needs_gradient = torch::GradMode::is_enabled() && (x.requires_grad() || weight.requires_grad());
  const auto sums = LinearCrossEntropy::apply(x, weight, targets, eps_ls,
                                              bias.defined() ? std::optional(bias) : std::nullopt, needs_gradient);
  return {sums[0], sums[1]};
}

torch::Tensor target_log_probs(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& targets,
                               const torch::Tensor& bias) {
  torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> blocks;
  const int64_t block_rows = loss_block_rows(use_gpu_kernel({x}), weight.size(0));
  for (int64_t first = 0; first < x.size(0); first += block_rows) {
    const int64_t last = std::min(first + block_rows, x.size(0));
    const auto logits = torch::linear(x.slice(0, first, last), weight, bias);  // [block, vocab]
    const auto log_probs = torch::log_softmax(at_least_fp32(logits), 1);       // [block, vocab]
    blocks.push_back(log_probs.gather(1, targets.slice(0, first, last).unsqueeze(1)).squeeze(1));
  }
  return torch::cat(blocks);
}

}  // namespace transformer
