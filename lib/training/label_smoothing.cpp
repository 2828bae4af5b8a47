#include "training/label_smoothing.h"

namespace transformer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Written as one autograd function because the composed form keeps four tensors of the logits' size; this one keeps
/// the logits and turns their softmax into the gradient in place.
class SmoothedCrossEntropy : public torch::autograd::Function<SmoothedCrossEntropy> {
 public:
  /// logits [tokens, vocab] (fp32 or fp64), targets [tokens]. Returns {loss, negative log-likelihood}.
  static variable_list forward(AutogradContext* context, const torch::Tensor& logits,
                               const torch::Tensor& targets, double eps_ls) {
    const auto log_normalizer = torch::logsumexp(logits, 1);                           // [tokens]
    const auto target_logits = logits.gather(1, targets.unsqueeze(1)).squeeze(1);      // [tokens]
    const auto target_loss = log_normalizer - target_logits;                           // -log p(target)
    const auto mean_loss = log_normalizer - logits.mean(1);                            // mean of -log p
    const auto likelihood = target_loss.sum();
    const auto loss = (1 - eps_ls) * likelihood + eps_ls * mean_loss.sum();
    context->save_for_backward({logits, targets, log_normalizer});
    context->saved_data["eps_ls"] = eps_ls;
    context->mark_non_differentiable({likelihood});
    return {loss, likelihood};
  }

  /// d loss / d logits = softmax(logits) - (1 - eps_ls) * onehot(target) - eps_ls / vocab.
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor& logits = saved[0];
    const double eps_ls = context->saved_data["eps_ls"].toDouble();
    auto gradient = (logits - saved[2].unsqueeze(1)).exp_();  // [tokens, vocab]
    gradient.sub_(eps_ls / static_cast<double>(logits.size(1)));
    const auto targets = saved[1].unsqueeze(1);  // [tokens, 1]
    gradient.scatter_add_(1, targets, torch::full_like(targets, eps_ls - 1, logits.options()));
    return {gradient.mul_(gradients[0]), torch::Tensor(), torch::Tensor()};
  }
};

}  // namespace

LossSums label_smoothed_cross_entropy(const torch::Tensor& logits, const torch::Tensor& targets, double eps_ls,
                                      int64_t pad) {
  TORCH_CHECK(logits.dim() == targets.dim() + 1, "logits ", logits.sizes(), " for targets ", targets.sizes());
  auto rows = logits.flatten(0, -2);  // [tokens, vocab]
  auto row_targets = targets.flatten();
  const auto real = row_targets.ne(pad).nonzero().squeeze(1);
  if (real.size(0) != row_targets.size(0)) {
    rows = rows.index_select(0, real);
    row_targets = row_targets.index_select(0, real);
  }
  if (rows.scalar_type() != torch::kDouble) rows = rows.to(torch::kFloat);
  const auto sums = SmoothedCrossEntropy::apply(rows, row_targets, eps_ls);
  return {sums[0], sums[1]};
}

}  // namespace transformer
