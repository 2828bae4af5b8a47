#include "ops/dropout.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <numeric>

#include "base/mix.h"
#include "ops/dropout_mask.h"
#include "ops/fused.h"
#include "ops/to_device.h"

namespace transformer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

thread_local DropoutScope* current_scope = nullptr;

/// Elements `first` and following of a sentence.
template <class Element>
[[gnu::always_inline]] inline void apply_mask_to(const Element* in, Element* out, uint32_t first, uint32_t count,
                                                 const SentenceMask& mask) {
  Floats values;
  uint32_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    load(values, in + i);
    mask.apply(values, first + i);
    store(out + i, values);
  }
  for (; i < count; ++i) {
    values = Floats{} + static_cast<float>(in[i]);
    mask.apply(values, first + i);
    out[i] = static_cast<Element>(values[0]);
  }
}

TRANSFORMER_FOR_EACH_PROCESSOR void apply_mask(const float* in, float* out, uint32_t first, uint32_t count,
                                               const SentenceMask& mask) {
  apply_mask_to(in, out, first, count, mask);
}
TRANSFORMER_FOR_EACH_PROCESSOR void apply_mask(const c10::BFloat16* in, c10::BFloat16* out, uint32_t first,
                                               uint32_t count, SentenceMask mask) {
  apply_mask_to(in, out, first, count, mask);
}

/// in, out [positions, width], contiguous.
template <class Element>
void apply_masks(const torch::Tensor& in, torch::Tensor& out, const Masks& masks) {
  static constexpr int64_t kGrain = 1 << 15;  // elements worth a thread
  const int64_t width = in.size(1);
  const auto* from = in.const_data_ptr<Element>();
  auto* to = out.mutable_data_ptr<Element>();
  at::parallel_for(0, in.size(0), std::max<int64_t>(1, kGrain / width), [&](int64_t begin, int64_t end) {
    masks.for_each(begin, end, [&](int64_t position, const SentenceMask* mask, uint32_t first) {
      apply_mask(from + position * width, to + position * width, first, static_cast<uint32_t>(width), *mask);
    });
  });
}

torch::Tensor masked(const torch::Tensor& x, const Packing& packing, double p, const torch::Tensor& seeds) {
  RECORD_USER_SCOPE("dropout");
  const bool has_kernel = x.scalar_type() == torch::kFloat || x.scalar_type() == torch::kBFloat16;
  if (!uses_fused_kernels() || !x.device().is_cpu() || !has_kernel) return plain_dropout(x, packing, p, seeds);
  const torch::Tensor in = x.contiguous();
  torch::Tensor out = torch::empty_like(in);
  const Masks masks(packing, p, seeds, in.size(1));
  const bool is_float = x.scalar_type() == torch::kFloat;
  (is_float ? apply_masks<float> : apply_masks<c10::BFloat16>)(in, out, masks);
  return out;
}

class CounterDropout : public torch::autograd::Function<CounterDropout> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const c10::intrusive_ptr<SharedPacking>& packing, double p, const torch::Tensor& seeds) {
    context->saved_data["packing"] = c10::IValue::make_capsule(packing);
    context->saved_data["p"] = p;
    context->saved_data["seeds"] = seeds;
    return masked(x, *packing, p, seeds);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto packing = context->saved_data["packing"].toCapsule();
    const double p = context->saved_data["p"].toDouble();
    const auto seeds = context->saved_data["seeds"].toTensor();
    return {masked(gradients[0], static_cast<const SharedPacking&>(*packing), p, seeds), {}, {}, {}};
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

}  // namespace

DropoutScope::DropoutScope(uint64_t seed, const std::vector<int64_t>& keys) : seed_(seed) {
  TORCH_CHECK(current_scope == nullptr, "a DropoutScope inside another");
  for (const int64_t key : keys) keys_.push_back(mix(static_cast<uint64_t>(key)));
  current_scope = this;
}

DropoutScope::~DropoutScope() { current_scope = nullptr; }

torch::Tensor DropoutScope::next_seeds() {
  const uint64_t call = mix(seed_ + mix(++num_dropouts_));
  torch::Tensor seeds = torch::empty({static_cast<int64_t>(keys_.size())}, torch::kLong);
  auto* seed = seeds.mutable_data_ptr<int64_t>();
  for (const uint64_t key : keys_) *seed++ = static_cast<int64_t>(mix(call ^ key));
  return seeds;
}

torch::Tensor next_seeds(int64_t sentences) {
  if (current_scope == nullptr) return DropoutScope(drawn_seed(), first_numbers(sentences)).next_seeds();
  const auto seeds = current_scope->next_seeds();
  TORCH_CHECK(seeds.size(0) == sentences, seeds.size(0), " seeds for ", sentences, " sentences");
  return seeds;
}

torch::Tensor counter_dropout(const torch::Tensor& x, const Packing& packing, double p, bool training) {
  if (!training || p == 0) return x;
  TORCH_CHECK(x.dim() == 2 && x.size(0) == packing.positions(), x.sizes(), " for ", packing.positions(), " positions");
  return CounterDropout::apply(x, share(packing), p, next_seeds(packing.sentences()));
}

torch::Tensor attention_dropout(const torch::Tensor& weights, double p) {
  const auto sentence_seeds = next_seeds(weights.size(0));
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
  // To the kernel each row of weights is a sentence of its own.
  const Packing rows(std::vector<int64_t>(static_cast<size_t>(seeds.numel()), 1));
  return CounterDropout::apply(weights.flatten(0, 2), share(rows), p, seeds.flatten()).view_as(weights);
}

torch::Tensor plain_dropout(const torch::Tensor& x, const Packing& packing, double p, const torch::Tensor& seeds) {
  static constexpr int64_t kLow = 0xFFFFFFFF;
  const auto options = torch::TensorOptions(torch::kLong).device(x.device());
  const auto row_seeds = to_device(seeds, x.device()).unsqueeze(1);  // [B, 1]
  const auto elements = torch::arange(packing.longest() * x.size(1), options).unsqueeze(0);
  auto bits = elements.bitwise_xor(row_seeds.bitwise_and(kLow));  // [B, longest * width]
  const auto mix_with = [&](int64_t shift, int64_t factor) {
    bits = bits.bitwise_xor(bits.bitwise_right_shift(shift)).mul(factor).bitwise_and(kLow);
  };
  mix_with(16, kFirstFactor);
  bits = bits.add(row_seeds.bitwise_right_shift(32)).bitwise_and(kLow);
  mix_with(15, kSecondFactor);
  bits = bits.bitwise_xor(bits.bitwise_right_shift(16));
  const auto kept = bits.ge(static_cast<int64_t>(dropout_threshold(p))).unflatten(1, {packing.longest(), x.size(1)});
  return x.mul(packing.unpad(kept)).mul(1.0 / (1.0 - p));
}

}  // namespace transformer
