#include "ops/dropout.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/autograd/custom_function.h>

#include <numeric>

#include "base/splitmix64.h"
#include "kernels/cpu/dropout.h"
#include "kernels/cpu_kernels.h"
#include "kernels/dropout_hash.h"
#include "kernels/gpu/launch.h"
#include "kernels/gpu_kernels.h"
#include "ops/saved_mask.h"
#include "ops/to_device.h"

namespace transformer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

thread_local DropoutScope* current_scope = nullptr;

uint64_t random_seed() {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return at::check_generator<at::CPUGeneratorImpl>(generator)->random64();
}

/// splitmix64 of each element of an int64 tensor.
torch::Tensor splitmix64_of(torch::Tensor values) {
  const auto mix = [&](int64_t shift, uint64_t factor) {
    const int64_t mask = static_cast<int64_t>(~uint64_t{0} >> shift);  // the shift fills with the sign
    values = values.bitwise_xor(values.bitwise_right_shift(shift).bitwise_and(mask)).mul(static_cast<int64_t>(factor));
  };
  values = values.add(static_cast<int64_t>(kSplitMixIncrement));
  mix(30, kFirstSplitMixFactor);
  mix(27, kSecondSplitMixFactor);
  mix(31, 1);
  return values;
}

/// int64 [sequences]
torch::Tensor sequence_seeds(const DropoutSeeds& seeds) {
  return splitmix64_of(seeds.keys.bitwise_xor(static_cast<int64_t>(seeds.call_seed)));
}

class DropoutFunction : public torch::autograd::Function<DropoutFunction> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const DropoutMask& mask) {
    save_mask(context, mask);
    return apply_mask(x, mask);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    return {apply_mask(gradients[0], saved_mask(context)), {}};
  }

 private:
  static torch::Tensor apply_mask(const torch::Tensor& x, const DropoutMask& mask) {
    RECORD_USER_SCOPE("dropout");
    if (use_gpu_kernel({x})) return gpu::dropout(x.contiguous(), mask);
    return use_cpu_kernel({x}) ? cpu::dropout(x.contiguous(), mask) : plain_dropout(x, mask);
  }
};

}  // namespace

DropoutScope::DropoutScope(uint64_t seed, const std::vector<int64_t>& keys)
    : seed_(seed), keys_(splitmix64_of(torch::tensor(keys, torch::kLong))) {
  TORCH_CHECK(current_scope == nullptr, "a DropoutScope inside of another");
  current_scope = this;
}

DropoutScope::~DropoutScope() { current_scope = nullptr; }

uint64_t DropoutScope::next_call_seed() { return splitmix64(seed_ + splitmix64(++num_dropouts_)); }

torch::Tensor DropoutScope::keys(torch::Device device) {
  if (keys_.device() != device) keys_ = to_device(keys_, device);
  return keys_;
}

DropoutSeeds next_dropout_seeds(const Packing& packing, double p) {
  if (p == 0) return {};
  const int64_t num_sequences = packing.num_sequences();
  const auto device = packing.device();
  if (current_scope != nullptr) {
    const auto keys = current_scope->keys(device);
    TORCH_CHECK(keys.size(0) == num_sequences, keys.size(0), " keys for ", num_sequences, " sequences");
    return {p, current_scope->next_call_seed(), keys};
  }
  std::vector<int64_t> numbers(static_cast<size_t>(num_sequences));
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  DropoutScope scope(random_seed(), numbers);
  return {p, scope.next_call_seed(), scope.keys(device)};
}

DropoutMask next_dropout_mask(const Packing& packing, double p) {
  if (p == 0) return {};
  return {next_dropout_seeds(packing, p), packing.sequence_ids(), packing.position_ids()};
}

PackedSequence dropout(const PackedSequence& x, double p) {
  if (p == 0) return x;
  TORCH_CHECK(x.data.dim() == 2 && x.data.size(0) == x.packing.num_positions(), x.data.sizes(), " for ",
              x.packing.num_positions(), " positions");
  return x.with_data(dropout(x.data, next_dropout_mask(x.packing, p)));
}

torch::Tensor dropout(const torch::Tensor& x, const DropoutMask& mask) {
  return mask.p == 0 ? x : DropoutFunction::apply(x, mask);
}

torch::Tensor plain_dropout(const torch::Tensor& x, const DropoutMask& mask) {
  static constexpr int64_t kLow = 0xFFFFFFFF;
  const int64_t width = x.size(1);
  const auto seeds = sequence_seeds(mask).index_select(0, mask.sequence_ids).unsqueeze(1);  // [rows, 1]
  const auto columns = torch::arange(width, seeds.options()).unsqueeze(0);
  const auto elements = mask.position_ids.unsqueeze(1).mul(width).add(columns).bitwise_and(kLow);  // [rows, width]
  auto bits = elements.bitwise_xor(seeds.bitwise_and(kLow));  // as hash_elements, in the low halves of int64
  const auto hash = [&](int64_t shift, int64_t factor) {
    bits = bits.bitwise_xor(bits.bitwise_right_shift(shift)).mul(factor).bitwise_and(kLow);
  };
  hash(16, kFirstHashFactor);
  bits = bits.add(seeds.bitwise_right_shift(32)).bitwise_and(kLow);
  hash(15, kSecondHashFactor);
  bits = bits.bitwise_xor(bits.bitwise_right_shift(16));
  const auto kept = bits.ge(static_cast<int64_t>(dropout_threshold(mask.p)));
  return x.mul(kept).mul(dropout_scale(mask.p));
}

torch::Tensor attention_dropout(const torch::Tensor& weights, const DropoutSeeds& seeds) {
  if (seeds.p == 0) return weights;
  const int64_t B = weights.size(0), h = weights.size(1), T = weights.size(2);
  const auto integers = seeds.keys.options();
  const auto heads = torch::arange(h, integers).unsqueeze(1), queries = torch::arange(T, integers);
  const auto query_hashes = splitmix64_of(heads.bitwise_left_shift(32).bitwise_or(queries));  // [h, T]
  // Each row of weights is like a sequence of its own, whose seed is attention_seed.
  const auto row_keys = sequence_seeds(seeds).view({B, 1, 1}).bitwise_xor(query_hashes).view(-1);  // [B * h * T]
  const DropoutMask mask{{seeds.p, 0, row_keys}, torch::arange(B * h * T, integers), torch::zeros_like(row_keys)};
  return dropout(weights.flatten(0, 2), mask).view_as(weights);
}

}  // namespace transformer
