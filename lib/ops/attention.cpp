#include "ops/attention.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ops/vector_math.h"

namespace transformer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Sentences are short, so the matrices of one sentence and head fit the processor's cache: each is copied there in
// fp32, rows filled up with zeros to whole vectors, and all products are ours.

/// Queries taken at once: bounds the weights that exist at a time.
constexpr int64_t kBlock = 64;

/// A matrix that is read element by element: element (i, k) is at[i * row + k * column].
struct Operand {
  const float* at;
  int64_t row, column;
};

template <int kRows, int kVectors>
[[gnu::always_inline]] inline void multiply_tile(Operand a, const float* b, int64_t b_row, float* c, int64_t c_row,
                                                 int64_t depth, bool add) {
  Floats sum[kRows][kVectors] = {};
  if (add) {
    for (int i = 0; i < kRows; ++i) {
      for (int v = 0; v < kVectors; ++v) load(sum[i][v], c + i * c_row + v * kLanes);
    }
  }
  for (int64_t k = 0; k < depth; ++k) {
    for (int v = 0; v < kVectors; ++v) {
      Floats b_vector;
      load(b_vector, b + k * b_row + v * kLanes);
      for (int i = 0; i < kRows; ++i) sum[i][v] += a.at[i * a.row + k * a.column] * b_vector;
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int v = 0; v < kVectors; ++v) store(c + i * c_row + v * kLanes, sum[i][v]);
  }
}

template <int kRows>
[[gnu::always_inline]] inline void multiply_rows(Operand a, const float* b, int64_t b_row, float* c, int64_t c_row,
                                                 int64_t columns, int64_t depth, bool add) {
  int64_t j = 0;
  for (; j + 2 * kLanes <= columns; j += 2 * kLanes) {
    multiply_tile<kRows, 2>(a, b + j, b_row, c + j, c_row, depth, add);
  }
  if (j < columns) multiply_tile<kRows, 1>(a, b + j, b_row, c + j, c_row, depth, add);
}

/// C = A B, or C += A B: a [rows, depth], b [depth, columns], c [rows, columns]; columns are whole vectors.
TRANSFORMER_FOR_EACH_PROCESSOR void multiply(Operand a, const float* b, int64_t b_row, float* c, int64_t c_row,
                                             int64_t rows, int64_t columns, int64_t depth, bool add) {
  int64_t i = 0;
  const auto next = [&] { return Operand{a.at + i * a.row, a.row, a.column}; };
  for (; i + 6 <= rows; i += 6) multiply_rows<6>(next(), b, b_row, c + i * c_row, c_row, columns, depth, add);
  for (; i + 3 <= rows; i += 3) multiply_rows<3>(next(), b, b_row, c + i * c_row, c_row, columns, depth, add);
  for (; i < rows; ++i) multiply_rows<1>(next(), b, b_row, c + i * c_row, c_row, columns, depth, add);
}

/// x becomes e^(x - shift) in its first `seen` of `count` places and 0 behind. `count` is whole vectors.
[[gnu::always_inline]] inline void exponentials_of(float* x, float shift, int64_t seen, int64_t count) {
  for (int64_t j = 0; j < seen; j += kLanes) {
    Floats values;
    load(values, x + j);
    values -= shift;
    exponential(values);
    store(x + j, values);
  }
  std::fill(x + seen, x + count, 0.0F);
}

TRANSFORMER_FOR_EACH_PROCESSOR void exponentials(float* x, float shift, int64_t seen, int64_t count) {
  exponentials_of(x, shift, seen, count);
}

/// x becomes its softmax in its first `seen` of `count` places and 0 behind. Returns the log of the sum of e^x.
TRANSFORMER_FOR_EACH_PROCESSOR float softmax(float* x, int64_t seen, int64_t count) {
  std::fill(x + seen, x + count, -std::numeric_limits<float>::infinity());
  Floats largest_values, values, sums = {};
  load(largest_values, x);
  for (int64_t j = kLanes; j < count; j += kLanes) {
    load(values, x + j);
    keep_larger(largest_values, values);
  }
  const float largest = largest_of(largest_values);
  exponentials_of(x, largest, seen, count);
  for (int64_t j = 0; j < count; j += kLanes) {
    load(values, x + j);
    sums += values;
  }
  const float sum = sum_of(sums);
  for (int64_t j = 0; j < count; j += kLanes) {
    load(values, x + j);
    values /= sum;
    store(x + j, values);
  }
  return largest + std::log(sum);
}

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

/// Numbers times `factor`, from or to the precision of a tensor.
template <class From, class To>
[[gnu::always_inline]] inline void copy_row_of(const From* from, To* to, int64_t count, float factor) {
  int64_t c = 0;
  for (; c + kLanes <= count; c += kLanes) {
    Floats values;
    load(values, from + c);
    values *= factor;
    store(to + c, values);
  }
  for (; c < count; ++c) to[c] = static_cast<To>(static_cast<float>(from[c]) * factor);
}

TRANSFORMER_FOR_EACH_PROCESSOR void copy_row(const float* from, float* to, int64_t count, float factor) {
  copy_row_of(from, to, count, factor);
}
TRANSFORMER_FOR_EACH_PROCESSOR void copy_row(const c10::BFloat16* from, float* to, int64_t count, float factor) {
  copy_row_of(from, to, count, factor);
}
TRANSFORMER_FOR_EACH_PROCESSOR void copy_row(const float* from, c10::BFloat16* to, int64_t count, float factor) {
  copy_row_of(from, to, count, factor);
}

/// The rows of one sentence and head in a tensor [positions, h, width].
template <class Element>
struct Rows {
  Element* first;
  int64_t stride, width;

  Element* operator[](int64_t row) const { return first + row * stride; }
};

template <class Element>
Rows<const Element> rows_of(const torch::Tensor& x, int64_t position, int64_t head) {
  return {x.const_data_ptr<Element>() + position * x.stride(0) + head * x.stride(1), x.stride(0), x.size(2)};
}

template <class Element>
Rows<Element> mutable_rows_of(torch::Tensor& x, int64_t position, int64_t head) {
  return {x.mutable_data_ptr<Element>() + position * x.stride(0) + head * x.stride(1), x.stride(0), x.size(2)};
}

/// A matrix in fp32 whose rows are whole vectors; made once a thread and grown.
class Matrix {
 public:
  float* resize(int64_t rows, int64_t columns) {
    row_ = whole_lanes(columns);
    if (static_cast<int64_t>(values_.size()) < rows * row_) values_.resize(static_cast<size_t>(rows * row_));
    return values_.data();
  }
  void clear(int64_t rows, int64_t columns) {
    resize(rows, columns);
    std::fill_n(values_.data(), rows * row_, 0.0F);
  }
  template <class Element>
  void copy(const Rows<const Element>& from, int64_t first, int64_t count, float factor = 1) {
    float* to = resize(count, from.width);
    for (int64_t i = 0; i < count; ++i, to += row_) {
      copy_row(from[first + i], to, from.width, factor);
      std::fill(to + from.width, to + row_, 0.0F);
    }
  }
  /// The first `columns` columns of another one's `rows` rows.
  void transpose(const Matrix& from, int64_t rows, int64_t columns) {
    float* to = resize(columns, rows);
    for (int64_t c = 0; c < columns; ++c, to += row_) {
      for (int64_t i = 0; i < rows; ++i) to[i] = from.values_[static_cast<size_t>(i * from.row_ + c)];
      std::fill(to + rows, to + row_, 0.0F);
    }
  }
  template <class Element>
  void write(const Rows<Element>& to, int64_t first, int64_t count, float factor = 1) const {
    for (int64_t i = 0; i < count; ++i) copy_row(values_.data() + i * row_, to[first + i], to.width, factor);
  }

  float* data() { return values_.data(); }
  int64_t row() const { return row_; }
  Operand plain() const { return {values_.data(), row_, 1}; }
  Operand transposed() const { return {values_.data(), 1, row_}; }

 private:
  std::vector<float> values_;
  int64_t row_ = 0;
};

void multiply(Operand a, Matrix& b, Matrix& c, int64_t rows, int64_t columns, int64_t depth, bool add) {
  multiply(a, b.data(), b.row(), c.data(), c.row(), rows, columns, depth, add);
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
