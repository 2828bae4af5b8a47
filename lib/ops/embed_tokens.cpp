#include "ops/embed_tokens.h"

#include "kernels/gpu/launch.h"
#include "kernels/gpu_kernels.h"
#include "ops/dropout.h"
#include "ops/saved_mask.h"

namespace transformer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The GPU kernels.
class GpuEmbedTokens : public torch::autograd::Function<GpuEmbedTokens> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& embedding, const torch::Tensor& tokens,
                               double scale, const torch::Tensor& position_table, const torch::Tensor& position_ids,
                               const DropoutMask& mask) {
    context->save_for_backward({tokens, position_ids});
    context->saved_data["scale"] = scale;
    context->saved_data["vocabulary_size"] = embedding.size(0);
    context->saved_data["num_positions"] = position_table.size(0);
    context->saved_data["learns_positions"] = position_table.requires_grad();
    save_mask(context, mask);
    return gpu::embed_tokens(embedding, tokens, scale, position_table, position_ids, mask);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    auto& data = context->saved_data;
    const DropoutMask mask = saved_mask(context);
    const auto gradient = gradients[0].contiguous();
    const auto sum_rows = [&](double factor, const torch::Tensor& indices, const c10::IValue& num_rows) {
      return torch::embedding_dense_backward(gpu::dropout(gradient, mask, factor), indices, num_rows.toInt(),
                                             /*padding_idx=*/-1, /*scale_grad_by_freq=*/false);
    };
    torch::Tensor by_positions;
    if (data["learns_positions"].toBool()) by_positions = sum_rows(1, saved[1], data["num_positions"]);
    return {sum_rows(data["scale"].toDouble(), saved[0], data["vocabulary_size"]), {}, {}, by_positions, {}, {}};
  }
};

}  // namespace

PackedSequence embed_tokens(const PackedSequence& tokens, const torch::Tensor& embedding, double scale,
                            const torch::Tensor& position_table, double p) {
  const Packing& packing = tokens.packing;
  TORCH_CHECK(tokens.data.dim() == 1 && tokens.data.size(0) == packing.num_positions() &&
                  position_table.size(0) >= packing.max_length() && position_table.size(1) == embedding.size(1),
              tokens.data.sizes(), " tokens for ", packing.num_positions(), " positions; embedding ", embedding.sizes(),
              ", position table ", position_table.sizes());
  if (use_gpu_kernel({embedding, position_table}) && embedding.scalar_type() == torch::kFloat) {
    return tokens.with_data(GpuEmbedTokens::apply(embedding, tokens.data, scale, position_table, packing.position_ids(),
                                                  next_dropout_mask(packing, p)));
  }
  const auto x = torch::embedding(embedding, tokens.data) * scale;
  return dropout(tokens.with_data(x + position_table.index_select(0, packing.position_ids())), p);
}

}  // namespace transformer
