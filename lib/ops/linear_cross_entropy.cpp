#include "ops/linear_cross_entropy.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ops/fused.h"
#include "ops/product_type.h"
#include "ops/vector_math.h"

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

torch::Tensor at_least_float(const torch::Tensor& logits) {
  return logits.scalar_type() == torch::kDouble ? logits : logits.to(torch::kFloat);
}

/// Of a block of rows: the sums of their losses, and the gradient by their logits.
struct BlockLoss {
  torch::Tensor loss, negative_log_likelihood;  // [], fp32 at least
  torch::Tensor gradient;                       // [block, vocab], in the logits' precision; may take their place
};

/// d loss / d logits = softmax(logits) - (1 - eps_ls) * onehot(target) - eps_ls / vocab
BlockLoss plain_block_loss(const torch::Tensor& logits, const torch::Tensor& targets, double eps_ls,
                           bool needs_gradient) {
  const double share = eps_ls / static_cast<double>(logits.size(1));
  const auto places = targets.unsqueeze(1);                        // [block, 1]
  auto log_probs = torch::log_softmax(at_least_float(logits), 1);  // [block, vocab]
  const auto likelihood = -log_probs.gather(1, places).sum();
  BlockLoss block{(1 - eps_ls) * likelihood - share * log_probs.sum(), likelihood, {}};
  if (needs_gradient) {
    auto gradient = log_probs.exp_().sub_(share);
    gradient.scatter_add_(1, places, torch::full_like(places, eps_ls - 1, gradient.options()));
    block.gradient = gradient.to(logits.scalar_type());
  }
  return block;
}

struct RowLoss {
  float log_sum;  // of e^logit over the vocabulary
  float sum;      // of the logits
};

/// One row of logits, which `work` [whole_lanes(vocab)] takes in fp32, becomes softmax(logits) - share.
template <class Element>
[[gnu::always_inline]] inline RowLoss softmax_row_of(Element* logits, float* work, int64_t vocab, float share,
                                                     bool needs_gradient) {
  const int64_t count = whole_lanes(vocab), whole = vocab / kLanes * kLanes;
  std::fill(work + whole, work + count, -std::numeric_limits<float>::infinity());
  for (int64_t j = whole; j < vocab; ++j) work[j] = static_cast<float>(logits[j]);
  RowLoss row{0, 0};
  for (int64_t j = whole; j < vocab; ++j) row.sum += work[j];
  Floats values, sums = {}, largest_values = Floats{} - std::numeric_limits<float>::infinity();
  if (whole < count) load(largest_values, work + whole);
  for (int64_t j = 0; j < whole; j += kLanes) {
    load(values, logits + j);
    store(work + j, values);
    keep_larger(largest_values, values);
    sums += values;
  }
  row.sum += sum_of(sums);
  const float largest = largest_of(largest_values);
  sums = Floats{};
  for (int64_t j = 0; j < count; j += kLanes) {
    load(values, work + j);
    values -= largest;
    exponential(values);
    store(work + j, values);
    sums += values;
  }
  const float sum = sum_of(sums);
  row.log_sum = largest + std::log(sum);
  if (!needs_gradient) return row;
  for (int64_t j = 0; j < whole; j += kLanes) {
    load(values, work + j);
    values = values / sum - share;
    store(logits + j, values);
  }
  for (int64_t j = whole; j < vocab; ++j) logits[j] = static_cast<Element>(work[j] / sum - share);
  return row;
}

TRANSFORMER_FOR_EACH_PROCESSOR RowLoss softmax_row(float* logits, float* work, int64_t vocab, float share,
                                                   bool needs_gradient) {
  return softmax_row_of(logits, work, vocab, share, needs_gradient);
}
TRANSFORMER_FOR_EACH_PROCESSOR RowLoss softmax_row(c10::BFloat16* logits, float* work, int64_t vocab, float share,
                                                   bool needs_gradient) {
  return softmax_row_of(logits, work, vocab, share, needs_gradient);
}

/// The same in one kernel, row by row; the gradient takes the logits' place.
template <class Element>
BlockLoss fused_block_loss(const torch::Tensor& logits, const torch::Tensor& targets, double eps_ls,
                           bool needs_gradient) {
  const int64_t rows = logits.size(0), vocab = logits.size(1);
  const double share = eps_ls / static_cast<double>(vocab);
  auto* first = logits.mutable_data_ptr<Element>();
  const auto* target = targets.const_data_ptr<int64_t>();
  std::vector<double> losses(static_cast<size_t>(rows)), likelihoods(losses);
  at::parallel_for(0, rows, 1, [&](int64_t begin, int64_t end) {
    std::vector<float> work(static_cast<size_t>(whole_lanes(vocab)));
    for (int64_t i = begin; i < end; ++i) {
      Element* row = first + i * vocab;
      const auto right = static_cast<double>(row[target[i]]);
      const RowLoss sums = softmax_row(row, work.data(), vocab, static_cast<float>(share), needs_gradient);
      const double log_sum = sums.log_sum, likelihood = log_sum - right;
      likelihoods[static_cast<size_t>(i)] = likelihood;
      losses[static_cast<size_t>(i)] = (1 - eps_ls) * likelihood + eps_ls * log_sum - share * sums.sum;
      if (needs_gradient) {
        row[target[i]] = static_cast<Element>(static_cast<float>(std::exp(-likelihood) - share - (1 - eps_ls)));
      }
    }
  });
  const auto total = [](const std::vector<double>& values) {
    return torch::tensor(std::accumulate(values.begin(), values.end(), 0.0), torch::kFloat);
  };
  return {total(losses), total(likelihoods), logits};
}

BlockLoss block_loss(const torch::Tensor& logits, const torch::Tensor& targets, double eps_ls, bool needs_gradient) {
  const bool fused = uses_fused_kernels() && logits.device().is_cpu();
  if (fused && logits.scalar_type() == torch::kFloat) {
    return fused_block_loss<float>(logits, targets, eps_ls, needs_gradient);
  }
  if (fused && logits.scalar_type() == torch::kBFloat16) {
    return fused_block_loss<c10::BFloat16>(logits, targets, eps_ls, needs_gradient);
  }
  return plain_block_loss(logits, targets, eps_ls, needs_gradient);
}

class LinearCrossEntropy : public torch::autograd::Function<LinearCrossEntropy> {
 public:
  static variable_list forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weight,
                               const torch::Tensor& targets, double eps_ls, bool needs_gradient) {
    RECORD_USER_SCOPE("loss");
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
      const auto rows = product_x.slice(0, first, last);  // [block, d_model]
      const BlockLoss block =
          block_loss(torch::mm(rows, product_weight.t()), targets.slice(0, first, last), eps_ls, needs_gradient);
      likelihood += block.negative_log_likelihood;
      loss += block.loss;
      if (!needs_gradient) continue;
      auto x_gradient_rows = x_gradient.slice(0, first, last);
      if (type == weight.scalar_type()) {
        torch::mm_out(x_gradient_rows, block.gradient, product_weight);
        weight_gradient.addmm_(block.gradient.t(), rows);
      } else {
        x_gradient_rows.copy_(torch::mm(block.gradient, product_weight));
        weight_gradient.add_(torch::mm(block.gradient.t(), rows));  // summed in the weight's own precision
      }
    }
    context->save_for_backward({x_gradient, weight_gradient});
    context->mark_non_differentiable({likelihood});
    return {loss, likelihood};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    RECORD_USER_SCOPE("loss");
    const auto saved = context->get_saved_variables();
    return {saved[0].mul_(gradients[0]), saved[1].mul_(gradients[0]), {}, {}, {}};
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
