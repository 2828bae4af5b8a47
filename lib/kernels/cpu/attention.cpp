#include "kernels/cpu/attention.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "kernels/attention_scale.h"
#include "kernels/cpu/dropout.h"
#include "kernels/cpu/row_mask.h"
#include "kernels/cpu/small_matrix.h"
#include "kernels/cpu/softmax.h"

namespace transformer::cpu {
namespace {

// Sentences are short, so the matrices of one sequence and head fit the processor's cache: each is copied there in
// fp32, and the products are computed by small_matrix.

/// Queries processed at once: bounds the number of weights that exist at a time.
constexpr int64_t kBlock = 64;

/// The gradient of the softmax, in place: gradient = weight * (gradient - sum of weight * gradient).
template <class Floats>
[[gnu::always_inline]] inline void softmax_backward_of(const float* weights, float* gradients, int64_t count) {
  Floats products = {};
  for (int64_t j = 0; j < count; j += kLanes<Floats>) {
    Floats weight, gradient;
    load(weight, weights + j);
    load(gradient, gradients + j);
    products += weight * gradient;
  }
  const float sum = horizontal_sum(products);
  for (int64_t j = 0; j < count; j += kLanes<Floats>) {
    Floats weight, gradient;
    load(weight, weights + j);
    load(gradient, gradients + j);
    gradient = weight * (gradient - sum);
    store(gradients + j, gradient);
  }
}

void softmax_backward(const float* weights, float* gradients, int64_t count) {
  TRANSFORMER_SIMD(softmax_backward_of<Floats>(weights, gradients, count));
}

/// One sequence and head.
struct Part {
  int64_t sequence, head, num_queries, num_keys;
  VisibleKeys visible;
  const AttentionDropoutMasks& dropout_masks;

  int64_t first_key(int64_t query) const { return std::clamp<int64_t>(query - visible.before, 0, num_keys - 1); }
  int64_t end_key(int64_t query) const { return std::min(query + visible.after + 1, num_keys); }
};

/// `count` queries of a part from `first` on, and the keys from `first_key` on that any of them sees. `first_key` is a
/// multiple of kMaxLanes, `num_columns` is num_keys rounded up to whole vectors.
struct Block {
  int64_t first, count, first_key, num_keys, num_columns;

  Block(const Part& part, int64_t begin)
      : first(begin),
        count(std::min(kBlock, part.num_queries - begin)),
        first_key(part.first_key(begin) / kMaxLanes * kMaxLanes),
        num_keys(part.end_key(begin + count - 1) - first_key),
        num_columns(round_up_to_lanes(num_keys)) {}

  /// Whether the block sees few of a long sequence's keys.
  bool is_narrow(const Part& part) const { return 2 * num_keys < part.num_keys; }

  /// The weights of the block's i-th query, a row of `weights` [count, num_columns].
  ScoreRow scores(Matrix& weights, const Part& part, int64_t i) const {
    return {weights.data() + i * weights.row_stride(), part.first_key(first + i) - first_key,
            part.end_key(first + i) - first_key, num_columns};
  }

  /// Dropout on the rows of `weights` [count, num_columns], or of their gradients.
  void apply_dropout(Matrix& weights, const Part& part) const {
    if (part.dropout_masks.drops_nothing()) return;
    for (int64_t i = 0; i < count; ++i) {
      drop_from_row(weights.data() + i * weights.row_stride(), num_columns,
                    part.dropout_masks(part.sequence, part.head, first + i, first_key));
    }
  }
};

/// Keys or values [keys, width] of a part in fp32, also transposed. All of them are copied once, but for narrow blocks
/// of a long sequence only those that the block sees: a transposed long sequence has its rows too far apart for the
/// cache.
class KeyRows {
 public:
  /// Copies the rows that the block sees, if they are not there yet.
  template <class Element>
  void load(const Rows<const Element>& from, const Part& part, const Block& block, bool transpose) {
    const bool is_narrow = block.is_narrow(part);
    if (!is_narrow && !is_first_block_ && !was_narrow_) return;
    first_ = is_narrow ? block.first_key : 0;
    const int64_t count = is_narrow ? block.num_keys : part.num_keys;
    rows_.copy(from, first_, count);
    if (transpose) transposed_.transpose(rows_, count, from.width);
    is_first_block_ = false;
    was_narrow_ = is_narrow;
  }
  /// To be called before the blocks of another part.
  void clear() { is_first_block_ = true; }

  VectorRows rows(const Block& block) { return rows_.rows_from(block.first_key - first_); }
  VectorRows transposed(const Block& block) { return transposed_.columns_from(block.first_key - first_); }
  int64_t row_stride() const { return rows_.row_stride(); }

 private:
  Matrix rows_, transposed_;
  int64_t first_ = 0;
  bool is_first_block_ = true, was_narrow_ = false;
};

template <class Element>
void forward_part(const Part& part, Rows<const Element> query, Rows<const Element> key, Rows<const Element> value,
                  Rows<Element> output, float* logsumexp) {
  thread_local Matrix q, weights, y;
  thread_local KeyRows k, v;
  k.clear();
  v.clear();
  for (int64_t first = 0; first < part.num_queries; first += kBlock) {
    const Block block(part, first);
    k.load(key, part, block, /*transpose=*/true);
    v.load(value, part, block, /*transpose=*/false);
    q.copy(query, first, block.count, static_cast<float>(attention_scale(query.width)));
    weights.resize(block.count, block.num_keys);
    multiply(q.plain(), k.transposed(block), weights.view(), block.count, block.num_columns, query.width, false);
    for (int64_t i = 0; i < block.count; ++i) logsumexp[first + i] = softmax(block.scores(weights, part, i));
    block.apply_dropout(weights, part);
    y.resize(block.count, value.width);
    multiply(weights.plain(), v.rows(block), y.view(), block.count, v.row_stride(), block.num_keys, false);
    y.write(output, first, block.count);
  }
}

template <class Element>
struct GradientRows {
  Rows<Element> query, key, value;
};

template <class Element>
void backward_part(const Part& part, Rows<const Element> query, Rows<const Element> key, Rows<const Element> value,
                   Rows<const Element> output_gradient, const float* logsumexp,
                   const GradientRows<Element>& gradients) {
  thread_local Matrix q, weights, dy, dweights, dq, dk, dv;
  thread_local KeyRows k, v;
  k.clear();
  v.clear();
  dk.clear(part.num_keys, key.width);
  dv.clear(part.num_keys, value.width);
  const float scale = static_cast<float>(attention_scale(query.width));
  for (int64_t first = 0; first < part.num_queries; first += kBlock) {
    const Block block(part, first);
    k.load(key, part, block, /*transpose=*/true);
    v.load(value, part, block, /*transpose=*/true);
    q.copy(query, first, block.count, scale);
    dy.copy(output_gradient, first, block.count);
    weights.resize(block.count, block.num_keys);
    multiply(q.plain(), k.transposed(block), weights.view(), block.count, block.num_columns, query.width, false);
    for (int64_t i = 0; i < block.count; ++i)
      softmax_from_logsumexp(block.scores(weights, part, i), logsumexp[first + i]);
    dweights.resize(block.count, block.num_keys);
    multiply(dy.plain(), v.transposed(block), dweights.view(), block.count, block.num_columns, value.width, false);
    // softmax_backward needs the weights before dropout, the gradient of the values those after it.
    block.apply_dropout(dweights, part);
    for (int64_t i = 0; i < block.count; ++i) {
      softmax_backward(weights.data() + i * weights.row_stride(), dweights.data() + i * dweights.row_stride(),
                       block.num_columns);
    }
    block.apply_dropout(weights, part);
    multiply(weights.transposed(), dy.view(), dv.rows_from(block.first_key), block.num_keys, dv.row_stride(),
             block.count, true);
    dq.resize(block.count, query.width);
    multiply(dweights.plain(), k.rows(block), dq.view(), block.count, dq.row_stride(), block.num_keys, false);
    dq.write(gradients.query, first, block.count, scale);
    multiply(dweights.transposed(), q.view(), dk.rows_from(block.first_key), block.num_keys, dk.row_stride(),
             block.count, true);
  }
  dk.write(gradients.key, 0, part.num_keys);
  dv.write(gradients.value, 0, part.num_keys);
}

/// Calls work(part, first query, first key) for every sequence and head, distributed over the threads.
template <class Work>
void for_each_part(const AttentionInputs& inputs, const Work& work) {
  const int64_t num_sequences = inputs.query_offsets.size(0) - 1, h = inputs.query.size(1);
  const auto* queries = inputs.query_offsets.const_data_ptr<int64_t>();
  const auto* keys = inputs.key_offsets.const_data_ptr<int64_t>();
  const AttentionDropoutMasks masks(inputs.dropout);
  // Neighboring sequences of a batch have similar lengths, so each thread takes heads rather than sequences.
  at::parallel_for(0, h * num_sequences, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t b = i % num_sequences;
      const Part part{b, i / num_sequences, queries[b + 1] - queries[b], keys[b + 1] - keys[b], inputs.visible, masks};
      work(part, queries[b], keys[b]);
    }
  });
}

template <class Element>
void forward_all(const AttentionInputs& inputs, AttentionOutput& result) {
  const int64_t positions = inputs.query.size(0);
  auto* sums = result.logsumexp.mutable_data_ptr<float>();
  for_each_part(inputs, [&](const Part& part, int64_t q, int64_t k) {
    forward_part<Element>(part, rows_of<Element>(inputs.query, q, part.head),
                          rows_of<Element>(inputs.key, k, part.head), rows_of<Element>(inputs.value, k, part.head),
                          mutable_rows_of<Element>(result.output, q, part.head), sums + part.head * positions + q);
  });
}

template <class Element>
void backward_all(const torch::Tensor& output_gradient, const AttentionInputs& inputs, const torch::Tensor& logsumexp,
                  AttentionGradients& gradients) {
  const int64_t positions = inputs.query.size(0);
  const auto* sums = logsumexp.const_data_ptr<float>();
  for_each_part(inputs, [&](const Part& part, int64_t q, int64_t k) {
    backward_part<Element>(
        part, rows_of<Element>(inputs.query, q, part.head), rows_of<Element>(inputs.key, k, part.head),
        rows_of<Element>(inputs.value, k, part.head), rows_of<Element>(output_gradient, q, part.head),
        sums + part.head * positions + q,
        {mutable_rows_of<Element>(gradients.query, q, part.head), mutable_rows_of<Element>(gradients.key, k, part.head),
         mutable_rows_of<Element>(gradients.value, k, part.head)});
  });
}

}  // namespace

AttentionOutput attention_forward(const AttentionInputs& inputs) {
  const torch::Tensor& query = inputs.query;
  AttentionOutput result{torch::empty({query.size(0), query.size(1), inputs.value.size(2)}, query.options()),
                         torch::empty({query.size(1), query.size(0)}, query.options().dtype(torch::kFloat))};
  (query.scalar_type() == torch::kFloat ? forward_all<float> : forward_all<c10::BFloat16>)(inputs, result);
  return result;
}

AttentionGradients attention_backward(const torch::Tensor& output_gradient, const AttentionInputs& inputs,
                                      const torch::Tensor& logsumexp) {
  AttentionGradients gradients{torch::empty_like(inputs.query), torch::empty_like(inputs.key),
                               torch::empty_like(inputs.value)};
  const bool is_fp32 = inputs.query.scalar_type() == torch::kFloat;
  (is_fp32 ? backward_all<float> : backward_all<c10::BFloat16>)(output_gradient, inputs, logsumexp, gradients);
  return gradients;
}

}  // namespace transformer::cpu
