#include "ops/dropout.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <numeric>

#include "base/mix.h"

namespace transformer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

thread_local DropoutScope* current_scope = nullptr;

// The generator's constants: 32-bit mixing in two rounds, a key before each.
constexpr uint32_t kFirstFactor = 0x7FEB352D, kSecondFactor = 0x846CA68B;

uint32_t threshold_of(double p) { return static_cast<uint32_t>(p * 4294967296.0); }

/// The mask of one row: 64 random bits as two keys, and what they are compared and scaled with.
struct RowMask {
  uint32_t key, second_key, threshold;
  float scale;
};

RowMask row_mask(int64_t row_seed, double p) {
  const auto bits = static_cast<uint64_t>(row_seed);
  return {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32), threshold_of(p),
          static_cast<float>(1.0 / (1.0 - p))};
}

/// A counter-based generator: the element's number in its row, mixed with the keys, gives 32 bits. Plain loops over
/// 32-bit numbers, which the compiler turns into vector instructions for each kind of processor.
template <class Element>
[[gnu::always_inline]] inline void apply_mask_to(const Element* in, Element* out, uint32_t first, uint32_t count,
                                                 RowMask mask) {
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t bits = (first + i) ^ mask.key;
    bits ^= bits >> 16;
    bits *= kFirstFactor;
    bits += mask.second_key;
    bits ^= bits >> 15;
    bits *= kSecondFactor;
    bits ^= bits >> 16;
    out[i] = bits >= mask.threshold ? static_cast<Element>(static_cast<float>(in[i]) * mask.scale) : Element(0.0F);
  }
}

__attribute__((target_clones("avx512f", "avx2", "default"))) void apply_mask(const float* in, float* out,
                                                                             uint32_t first, uint32_t count,
                                                                             RowMask mask) {
  apply_mask_to(in, out, first, count, mask);
}

__attribute__((target_clones("avx512f", "avx2", "default"))) void apply_mask(const c10::BFloat16* in,
                                                                             c10::BFloat16* out, uint32_t first,
                                                                             uint32_t count, RowMask mask) {
  apply_mask_to(in, out, first, count, mask);
}

/// in, out [rows, ...], contiguous; row_seeds [rows].
template <class Element>
void apply_masks(const torch::Tensor& in, torch::Tensor& out, const torch::Tensor& row_seeds, double p) {
  static constexpr int64_t kGrain = 1 << 15;  // elements worth a thread
  const int64_t row_size = in.numel() / in.size(0);
  const auto* from = in.const_data_ptr<Element>();
  auto* to = out.mutable_data_ptr<Element>();
  const auto* seeds = row_seeds.const_data_ptr<int64_t>();
  at::parallel_for(0, in.numel(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t place = begin; place < end;) {
      const int64_t row = place / row_size, first = place % row_size;
      const int64_t count = std::min(row_size - first, end - place);
      apply_mask(from + place, to + place, static_cast<uint32_t>(first), static_cast<uint32_t>(count),
                 row_mask(seeds[row], p));
      place += count;
    }
  });
}

torch::Tensor masked(const torch::Tensor& x, double p, const torch::Tensor& row_seeds) {
  const bool has_kernel = x.scalar_type() == torch::kFloat || x.scalar_type() == torch::kBFloat16;
  if (!x.device().is_cpu() || !has_kernel) return plain_dropout(x, p, row_seeds);
  const torch::Tensor in = x.contiguous();
  torch::Tensor out = torch::empty_like(in);
  if (x.scalar_type() == torch::kFloat) {
    apply_masks<float>(in, out, row_seeds, p);
  } else {
    apply_masks<c10::BFloat16>(in, out, row_seeds, p);
  }
  return out;
}

class CounterDropout : public torch::autograd::Function<CounterDropout> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, double p,
                               const torch::Tensor& row_seeds) {
    context->saved_data["p"] = p;
    context->saved_data["row_seeds"] = row_seeds;
    return masked(x, p, row_seeds);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    return {
        masked(gradients[0], context->saved_data["p"].toDouble(), context->saved_data["row_seeds"].toTensor()), {}, {}};
  }
};

uint64_t drawn_seed() {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return at::check_generator<at::CPUGeneratorImpl>(generator)->random64();
}

std::vector<int64_t> first_numbers(int64_t count) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  return numbers;
}

/// Of the next dropout, for x [B, ...]: [B].
torch::Tensor row_seeds_of_next(const torch::Tensor& x) {
  if (current_scope == nullptr) return DropoutScope(drawn_seed(), first_numbers(x.size(0))).next_row_seeds();
  const auto row_seeds = current_scope->next_row_seeds();
  TORCH_CHECK(row_seeds.size(0) == x.size(0), row_seeds.size(0), " sentences, x ", x.sizes());
  return row_seeds;
}

}  // namespace

DropoutScope::DropoutScope(uint64_t seed, const std::vector<int64_t>& keys) : seed_(seed) {
  TORCH_CHECK(current_scope == nullptr, "a DropoutScope inside another");
  for (const int64_t key : keys) keys_.push_back(mix(static_cast<uint64_t>(key)));
  current_scope = this;
}

DropoutScope::~DropoutScope() { current_scope = nullptr; }

torch::Tensor DropoutScope::next_row_seeds() {
  const uint64_t call = mix(seed_ + mix(++num_dropouts_));
  torch::Tensor seeds = torch::empty({static_cast<int64_t>(keys_.size())}, torch::kLong);
  auto* seed = seeds.mutable_data_ptr<int64_t>();
  for (const uint64_t key : keys_) *seed++ = static_cast<int64_t>(mix(call ^ key));
  return seeds;
}

torch::Tensor counter_dropout(const torch::Tensor& x, double p, bool training) {
  if (!training || p == 0) return x;
  return CounterDropout::apply(x, p, row_seeds_of_next(x));
}

torch::Tensor attention_dropout(const torch::Tensor& weights, double p) {
  const auto sentence_seeds = row_seeds_of_next(weights);
  torch::Tensor seeds = torch::empty({weights.size(0), weights.size(1), weights.size(2)}, torch::kLong);
  auto* seed = seeds.mutable_data_ptr<int64_t>();
  for (int64_t sentence = 0; sentence < weights.size(0); ++sentence) {
    const auto of_sentence = static_cast<uint64_t>(sentence_seeds.const_data_ptr<int64_t>()[sentence]);
    for (int64_t head = 0; head < weights.size(1); ++head) {
      for (int64_t query = 0; query < weights.size(2); ++query) {
        *seed++ = static_cast<int64_t>(mix(of_sentence ^ mix(static_cast<uint64_t>(head << 32 | query))));
      }
    }
  }
  return CounterDropout::apply(weights.flatten(0, 2), p, seeds.flatten()).view_as(weights);
}

torch::Tensor plain_dropout(const torch::Tensor& x, double p, const torch::Tensor& row_seeds) {
  static constexpr int64_t kLow = 0xFFFFFFFF;
  const auto rows = x.flatten(1);  // [B, row]
  const auto options = torch::TensorOptions(torch::kLong).device(x.device());
  const auto seeds = row_seeds.to(x.device()).unsqueeze(1);                                            // [B, 1]
  auto bits = torch::arange(rows.size(1), options).unsqueeze(0).bitwise_xor(seeds.bitwise_and(kLow));  // [B, row]
  const auto mix_with = [&](int64_t shift, int64_t factor) {
    bits = bits.bitwise_xor(bits.bitwise_right_shift(shift)).mul(factor).bitwise_and(kLow);
  };
  mix_with(16, kFirstFactor);
  bits = bits.add(seeds.bitwise_right_shift(32)).bitwise_and(kLow);
  mix_with(15, kSecondFactor);
  bits = bits.bitwise_xor(bits.bitwise_right_shift(16));
  return rows.mul(bits.ge(static_cast<int64_t>(threshold_of(p)))).mul(1.0 / (1.0 - p)).view_as(x);
}

}  // namespace transformer
