#include "ops/dropout.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>

namespace transformer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The mask of one call: 64 random bits as two keys, and what they are compared and scaled with.
struct Mask {
  uint32_t key, second_key, threshold;
  float scale;
};

Mask make_mask(uint64_t seed, double p) {
  return {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(p * 4294967296.0),
          static_cast<float>(1.0 / (1.0 - p))};
}

/// A counter-based generator: the element's number, mixed with the keys, gives 32 bits. Plain loops over 32-bit
/// numbers, which the compiler turns into vector instructions for each kind of processor.
template <class Element>
[[gnu::always_inline]] inline void apply_mask_to(const Element* in, Element* out, uint32_t first, uint32_t count,
                                                 Mask mask) {
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t bits = (first + i) ^ mask.key;
    bits ^= bits >> 16;
    bits *= 0x7FEB352DU;
    bits += mask.second_key;
    bits ^= bits >> 15;
    bits *= 0x846CA68BU;
    bits ^= bits >> 16;
    out[i] = bits >= mask.threshold ? static_cast<Element>(static_cast<float>(in[i]) * mask.scale) : Element(0.0F);
  }
}

__attribute__((target_clones("avx512f", "avx2", "default"))) void apply_mask(const float* in, float* out,
                                                                             uint32_t first, uint32_t count,
                                                                             Mask mask) {
  apply_mask_to(in, out, first, count, mask);
}

__attribute__((target_clones("avx512f", "avx2", "default"))) void apply_mask(const c10::BFloat16* in,
                                                                             c10::BFloat16* out, uint32_t first,
                                                                             uint32_t count, Mask mask) {
  apply_mask_to(in, out, first, count, mask);
}

template <class Element>
void apply_mask_in_parallel(const torch::Tensor& in, torch::Tensor& out, const Mask& mask) {
  static constexpr int64_t kGrain = 1 << 15;  // elements worth a thread
  const auto* from = in.const_data_ptr<Element>();
  auto* to = out.mutable_data_ptr<Element>();
  at::parallel_for(0, in.numel(), kGrain, [&](int64_t begin, int64_t end) {
    apply_mask(from + begin, to + begin, static_cast<uint32_t>(begin), static_cast<uint32_t>(end - begin), mask);
  });
}

torch::Tensor masked(const torch::Tensor& x, const Mask& mask) {
  const torch::Tensor in = x.contiguous();
  torch::Tensor out = torch::empty_like(in);
  if (x.scalar_type() == torch::kFloat) {
    apply_mask_in_parallel<float>(in, out, mask);
  } else {
    apply_mask_in_parallel<c10::BFloat16>(in, out, mask);
  }
  return out;
}

class CounterDropout : public torch::autograd::Function<CounterDropout> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, double p, int64_t seed) {
    context->saved_data["p"] = p;
    context->saved_data["seed"] = seed;
    return masked(x, make_mask(static_cast<uint64_t>(seed), p));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto seed = static_cast<uint64_t>(context->saved_data["seed"].toInt());
    return {masked(gradients[0], make_mask(seed, context->saved_data["p"].toDouble())), {}, {}};
  }
};

int64_t next_seed() {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return static_cast<int64_t>(at::check_generator<at::CPUGeneratorImpl>(generator)->random64());
}

}  // namespace

torch::Tensor counter_dropout(const torch::Tensor& x, double p, bool training) {
  if (!training || p == 0) return x;
  const bool has_kernel = x.scalar_type() == torch::kFloat || x.scalar_type() == torch::kBFloat16;
  if (!x.device().is_cpu() || !has_kernel) return torch::dropout(x, p, /*train=*/true);
  return CounterDropout::apply(x, p, next_seed());
}

}  // namespace transformer
