#include "ops/attention.h"

#include <torch/csrc/autograd/custom_function.h>

#include <limits>

#include "kernels/attention_scale.h"
#include "kernels/cpu/attention.h"
#include "kernels/cpu_kernels.h"
#include "ops/attention_observer.h"
#include "ops/dropout.h"
#include "ops/product_type.h"
#include "ops/saved_mask.h"
#include "ops/unpadded_attention.h"

namespace transformer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// softmax(Q K^T / sqrt(d_k)): q [B, h, T, d_k]; k [B, h, S, d_k]; allowed, broadcastable to [B, h, T, S], is true
/// where attention is allowed. Returns [B, h, T, S]. The softmax is in fp32 at least.
torch::Tensor weights_of(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& allowed) {
  static constexpr double kHidden = -std::numeric_limits<double>::infinity();
  const auto scores = q.matmul(k.transpose(-2, -1)) * attention_scale(q.size(-1));  // [B, h, T, S]
  return torch::softmax(at_least_fp32(scores).masked_fill(allowed.logical_not(), kHidden), -1);
}

/// [positions, h, width] -> [B, h, max_length, width]
torch::Tensor pad_heads(const PackedSequence& x) { return x.pad().transpose(1, 2); }

/// Where queries may attend to keys, padding excluded: broadcastable to [B, h, T, S].
torch::Tensor allowed_keys(const Packing& queries, const Packing& keys, const AttentionMask& mask) {
  auto allowed = keys.padding_mask().unsqueeze(1).unsqueeze(1);  // [B, 1, 1, S]
  const auto left = mask.window_left(), right = mask.window_right();
  if (!left && !right) return allowed;
  const int64_t T = queries.max_length(), S = keys.max_length();
  auto visible = torch::ones({T, S}, allowed.options());
  if (left) visible.triu_(-*left);
  if (right) visible.tril_(*right);
  allowed = allowed.logical_and(visible);  // [B, 1, T, S]
  // Queries of the padding may now see padding only, and a softmax needs a key: let them see themselves.
  return mask.reach ? allowed.logical_or(torch::eye(T, S, allowed.options())) : allowed;
}

cpu::VisibleKeys visible_keys(const AttentionMask& mask) {
  cpu::VisibleKeys visible;
  if (const auto left = mask.window_left()) visible.before = *left;
  if (const auto right = mask.window_right()) visible.after = *right;
  return visible;
}

/// Returns x, or a contiguous copy if the elements of its last dimension are not adjacent in memory. Query, key and
/// value that are slices of one joint projection need no copy.
torch::Tensor with_contiguous_rows(const torch::Tensor& x) { return x.stride(-1) == 1 ? x : x.contiguous(); }

/// The CPU kernel of Eq. 1 with its backward pass.
class CpuAttention : public torch::autograd::Function<CpuAttention> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& query, const torch::Tensor& key,
                               const torch::Tensor& value, const torch::Tensor& query_offsets,
                               const torch::Tensor& key_offsets, const cpu::VisibleKeys& visible,
                               const DropoutSeeds& dropout) {
    RECORD_USER_SCOPE("attention");
    const cpu::AttentionInputs inputs{with_contiguous_rows(query),
                                      with_contiguous_rows(key),
                                      with_contiguous_rows(value),
                                      query_offsets,
                                      key_offsets,
                                      visible,
                                      dropout};
    const auto [output, logsumexp] = cpu::attention_forward(inputs);
    context->save_for_backward({inputs.query, inputs.key, inputs.value, logsumexp, query_offsets, key_offsets});
    context->saved_data["before"] = visible.before;
    context->saved_data["after"] = visible.after;
    save_seeds(context, dropout);
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& output_gradients) {
    RECORD_USER_SCOPE("attention");
    const auto saved = context->get_saved_variables();
    const cpu::VisibleKeys visible{context->saved_data["before"].toInt(), context->saved_data["after"].toInt()};
    const auto gradients = cpu::attention_backward(output_gradients[0].contiguous(),
                                                   {saved[0], saved[1], saved[2], /*query_offsets=*/saved[4],
                                                    /*key_offsets=*/saved[5], visible, saved_seeds(context)},
                                                   /*logsumexp=*/saved[3]);
    return {gradients.query, gradients.key, gradients.value, {}, {}, {}, {}};
  }
};

/// Eq. 1 with LibTorch's operators on padded sequences. Returns [query positions, h, d_v].
torch::Tensor padded_attention(const PackedSequence& query, const PackedSequence& key, const PackedSequence& value,
                               const AttentionMask& mask, const DropoutSeeds& dropout) {
  const auto q = pad_heads(query), k = pad_heads(key), v = pad_heads(value);
  const auto allowed = allowed_keys(query.packing, key.packing, mask);
  torch::Tensor heads;  // [B, h, T, d_v]
  if (dropout.p == 0) {
    heads = torch::scaled_dot_product_attention(q, k, v, allowed);  // LibTorch's kernels for the same equation
  } else {
    const auto weights = attention_dropout(weights_of(q, k, allowed), dropout);
    heads = weights.to(v.scalar_type()).matmul(v);
  }
  return query.packing.unpad(heads.transpose(1, 2));
}

torch::Tensor padded_attention_without_dropout(const PackedSequence& query, const PackedSequence& key,
                                               const PackedSequence& value, const AttentionMask& mask) {
  return padded_attention(query, key, value, mask, /*dropout=*/{});
}

}  // namespace

PackedSequence scaled_dot_product_attention(const PackedSequence& query, const PackedSequence& key,
                                            const PackedSequence& value, const AttentionMask& mask, double dropout) {
  const auto &Q = query.data, &K = key.data, &V = value.data;
  TORCH_CHECK(Q.dim() == 3 && K.dim() == 3 && V.dim() == 3 && Q.size(1) == K.size(1) && Q.size(2) == K.size(2) &&
                  K.size(0) == V.size(0) && K.size(1) == V.size(1),
              "query ", Q.sizes(), ", key ", K.sizes(), ", value ", V.sizes());
  TORCH_CHECK(Q.size(0) == query.packing.num_positions() && K.size(0) == key.packing.num_positions() &&
                  query.packing.num_sequences() == key.packing.num_sequences(),
              Q.size(0), " queries and ", K.size(0), " keys for ", query.packing.num_positions(), " and ",
              key.packing.num_positions(), " positions");
  AttentionObserver::notify(query, key, mask);
  if (dropout == 0 && use_unpadded_attention(Q, K, V, mask, padded_attention_without_dropout)) {
    return query.with_data(unpadded_attention(query, key, value, mask));
  }
  const DropoutSeeds seeds = next_dropout_seeds(query.packing, dropout);
  if (use_cpu_kernel({Q, K, V})) {
    return query.with_data(
        CpuAttention::apply(Q, K, V, query.packing.offsets(), key.packing.offsets(), visible_keys(mask), seeds));
  }
  return query.with_data(padded_attention(query, key, value, mask, seeds));
}

torch::Tensor attention_weights(const PackedSequence& query, const PackedSequence& key, const AttentionMask& mask) {
  return weights_of(pad_heads(query), pad_heads(key), allowed_keys(query.packing, key.packing, mask));
}

}  // namespace transformer
