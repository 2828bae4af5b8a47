#include "ops/attention.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "ops/small_matrix.h"
#include "ops/softmax.h"

namespace transformer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Sentences are short, so the matrices of one sentence and head fit the processor's cache: each is copied there in
// fp32, and all products are ours.

/// Queries taken at once: bounds the weights that exist at a time.
constexpr int64_t kBlock = 64;

/// The softmax's gradient by its inputs, into `gradients`: weight * (gradient - sum of weight * gradient).
TRANSFORMER_FOR_EACH_PROCESSOR void softmax_gradient(const float* weights, float* gradients, int64_t count) {
  Floats products = {};
  for (int64_t j = 0; j < count; j += kLanes) {
    Floats weight, gradient;
    load(weight, weights + j);
    load(gradient, gradients + j);
    products += weight * gradient;
  }
  const float sum = sum_of(products);
  for (int64_t j = 0; j < count; j += kLanes) {
    Floats weight, gradient;
    load(weight, weights + j);
    load(gradient, gradients + j);
    gradient = weight * (gradient - sum);
    store(gradients + j, gradient);
  }
}

/// One sentence and head.
struct Part {
  int64_t query_positions, key_positions;
  bool causal;

  /// Keys that the query sees.
  int64_t seen(int64_t query) const { return causal ? std::min(query + 1, key_positions) : key_positions; }
};

/// Queries `first` to `last` of a part and all keys that they see between them.
struct Block {
  int64_t first, count, seen, columns;

  Block(const Part& part, int64_t begin)
      : first(begin),
        count(std::min(kBlock, part.query_positions - begin)),
        seen(part.seen(begin + count - 1)),
        columns(whole_lanes(seen)) {}
};

float scale_of(int64_t d_k) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(d_k))); }

/// `log_sums` takes log of the sum of e^score for each query: what the backward pass makes the weights from.
template <class Element>
void attend(const Part& part, Rows<const Element> query, Rows<const Element> key, Rows<const Element> value,
            Rows<Element> output, float* log_sums) {
  thread_local Matrix q, k, k_transposed, v, weights, y;
  k.copy(key, 0, part.key_positions);
  k_transposed.transpose(k, part.key_positions, key.width);
  v.copy(value, 0, part.key_positions);
  for (int64_t first = 0; first < part.query_positions; first += kBlock) {
    const Block block(part, first);
    q.copy(query, first, block.count, scale_of(query.width));
    weights.resize(block.count, block.seen);
    multiply(q.plain(), k_transposed, weights, block.count, block.columns, query.width, false);
    for (int64_t i = 0; i < block.count; ++i) {
      log_sums[first + i] = softmax(weights.data() + i * weights.row(), part.seen(first + i), block.columns);
    }
    y.resize(block.count, value.width);
    multiply(weights.plain(), v, y, block.count, v.row(), block.seen, false);
    y.write(output, first, block.count);
  }
}

template <class Element>
struct Gradients {
  Rows<Element> query, key, value;
};

template <class Element>
void attend_backward(const Part& part, Rows<const Element> query, Rows<const Element> key, Rows<const Element> value,
                     Rows<const Element> output_gradient, const float* log_sums, const Gradients<Element>& gradients) {
  thread_local Matrix q, k, k_transposed, v, v_transposed, weights, dy, dweights, dq, dk, dv;
  k.copy(key, 0, part.key_positions);
  k_transposed.transpose(k, part.key_positions, key.width);
  v.copy(value, 0, part.key_positions);
  v_transposed.transpose(v, part.key_positions, value.width);
  dk.clear(part.key_positions, key.width);
  dv.clear(part.key_positions, value.width);
  const float scale = scale_of(query.width);
  for (int64_t first = 0; first < part.query_positions; first += kBlock) {
    const Block block(part, first);
    q.copy(query, first, block.count, scale);
    dy.copy(output_gradient, first, block.count);
    weights.resize(block.count, block.seen);
    multiply(q.plain(), k_transposed, weights, block.count, block.columns, query.width, false);
    for (int64_t i = 0; i < block.count; ++i) {
      exponentials(weights.data() + i * weights.row(), log_sums[first + i], part.seen(first + i), block.columns);
    }
    multiply(weights.transposed(), dy, dv, block.seen, dv.row(), block.count, true);
    dweights.resize(block.count, block.seen);
    multiply(dy.plain(), v_transposed, dweights, block.count, block.columns, value.width, false);
    for (int64_t i = 0; i < block.count; ++i) {
      softmax_gradient(weights.data() + i * weights.row(), dweights.data() + i * dweights.row(), block.columns);
    }
    dq.resize(block.count, query.width);
    multiply(dweights.plain(), k, dq, block.count, dq.row(), block.seen, false);
    dq.write(gradients.query, first, block.count, scale);
    multiply(dweights.transposed(), q, dk, block.seen, dk.row(), block.count, true);
  }
  dk.write(gradients.key, 0, part.key_positions);
  dv.write(gradients.value, 0, part.key_positions);
}

/// Calls work(part, first query, first key, head) for every sentence and head, shared among the threads.
template <class Work>
void for_each_part(const Packing& queries, const Packing& keys, int64_t h, bool causal, const Work& work) {
  const int64_t B = queries.sentences();
  // Neighbours in a batch are of like length, so each thread takes heads and not sentences.
  at::parallel_for(0, h * B, 1, [&](int64_t begin, int64_t end) {
    for (int64_t number = begin; number < end; ++number) {
      const auto sentence = static_cast<size_t>(number % B);
      work(Part{queries.lengths()[sentence], keys.lengths()[sentence], causal}, queries.offsets()[sentence],
           keys.offsets()[sentence], number / B);
    }
  });
}

template <class Element>
void attend_all(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                const Packing& queries, const Packing& keys, bool causal, torch::Tensor& output,
                torch::Tensor& log_sums) {
  const int64_t positions = query.size(0);
  auto* sums = log_sums.mutable_data_ptr<float>();  // [h, positions]
  for_each_part(queries, keys, query.size(1), causal, [&](const Part& part, int64_t q, int64_t k, int64_t head) {
    attend<Element>(part, rows_of<Element>(query, q, head), rows_of<Element>(key, k, head),
                    rows_of<Element>(value, k, head), mutable_rows_of<Element>(output, q, head),
                    sums + head * positions + q);
  });
}

template <class Element>
void attend_all_backward(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                         const torch::Tensor& output_gradient, const Packing& queries, const Packing& keys, bool causal,
                         const torch::Tensor& log_sums, variable_list& gradients) {
  const int64_t positions = query.size(0);
  const auto* sums = log_sums.const_data_ptr<float>();
  for_each_part(queries, keys, query.size(1), causal, [&](const Part& part, int64_t q, int64_t k, int64_t head) {
    attend_backward<Element>(
        part, rows_of<Element>(query, q, head), rows_of<Element>(key, k, head), rows_of<Element>(value, k, head),
        rows_of<Element>(output_gradient, q, head), sums + head * positions + q,
        {mutable_rows_of<Element>(gradients[0], q, head), mutable_rows_of<Element>(gradients[1], k, head),
         mutable_rows_of<Element>(gradients[2], k, head)});
  });
}

class FusedScaledDotProductAttention : public torch::autograd::Function<FusedScaledDotProductAttention> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& query, const torch::Tensor& key,
                               const torch::Tensor& value, const c10::intrusive_ptr<SharedPacking>& queries,
                               const c10::intrusive_ptr<SharedPacking>& keys, bool causal) {
    RECORD_USER_SCOPE("attention");
    const auto q = query.contiguous(), k = key.contiguous(), v = value.contiguous();
    auto output = torch::empty({q.size(0), q.size(1), v.size(2)}, q.options());
    auto log_sums = torch::empty({q.size(1), q.size(0)}, q.options().dtype(torch::kFloat));
    const auto attend_with = q.scalar_type() == torch::kFloat ? attend_all<float> : attend_all<c10::BFloat16>;
    attend_with(q, k, v, *queries, *keys, causal, output, log_sums);
    context->save_for_backward({q, k, v, log_sums});
    context->saved_data["queries"] = c10::IValue::make_capsule(queries);
    context->saved_data["keys"] = c10::IValue::make_capsule(keys);
    context->saved_data["causal"] = causal;
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& output_gradients) {
    RECORD_USER_SCOPE("attention");
    const auto saved = context->get_saved_variables();
    const auto packing = [&](const char* name) { return context->saved_data[name].toCapsule(); };
    const auto queries = packing("queries"), keys = packing("keys");
    variable_list gradients = {torch::empty_like(saved[0]),
                               torch::empty_like(saved[1]),
                               torch::empty_like(saved[2]),
                               torch::Tensor(),
                               torch::Tensor(),
                               torch::Tensor()};
    const bool is_float = saved[0].scalar_type() == torch::kFloat;
    const auto attend_with = is_float ? attend_all_backward<float> : attend_all_backward<c10::BFloat16>;
    attend_with(saved[0], saved[1], saved[2], output_gradients[0].contiguous(),
                static_cast<const SharedPacking&>(*queries), static_cast<const SharedPacking&>(*keys),
                context->saved_data["causal"].toBool(), saved[3], gradients);
    return gradients;
  }
};

}  // namespace

bool has_fused_attention(const torch::Tensor& query) {
  return query.device().is_cpu() && (query.scalar_type() == torch::kFloat || query.scalar_type() == torch::kBFloat16);
}

torch::Tensor fused_attention(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                              const Packing& queries, const Packing& keys, bool causal) {
  TORCH_CHECK(query.dim() == 3 && key.dim() == 3 && value.dim() == 3 && query.size(1) == key.size(1) &&
                  query.size(2) == key.size(2) && key.size(0) == value.size(0) && key.size(1) == value.size(1),
              "query ", query.sizes(), ", key ", key.sizes(), ", value ", value.sizes());
  TORCH_CHECK(query.size(0) == queries.positions() && key.size(0) == keys.positions() &&
                  queries.sentences() == keys.sentences(),
              query.size(0), " queries and ", key.size(0), " keys in ", queries.sentences(), " sentences of ",
              queries.positions(), " and ", keys.positions(), " positions");
  return FusedScaledDotProductAttention::apply(query, key, value, share(queries), share(keys), causal);
}

}  // namespace transformer
