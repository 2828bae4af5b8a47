#include "ops/dropout.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/autograd/custom_function.h>

#include <numeric>

#include "base/splitmix64.h"
#include "kernels/cpu/dropout.h"
#include "kernels/cpu_kernels.h"
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

std::vector<int64_t> zero_to(int64_t count) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  return numbers;
}

/// The seeds of the next dropout: int64 [num_sequences].
torch::Tensor next_seeds(int64_t num_sequences) {
  if (current_scope == nullptr) return DropoutScope(random_seed(), zero_to(num_sequences)).next_seeds();
  const auto seeds = current_scope->next_seeds();
  TORCH_CHECK(seeds.size(0) == num_sequences, seeds.size(0), " seeds for ", num_sequences, " sequences");
  return seeds;
}

class DropoutFunction : public torch::autograd::Function<DropoutFunction> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, double p,
                               const torch::Tensor& row_seeds, const torch::Tensor& position_ids) {
    context->save_for_backward({row_seeds, position_ids});
    context->saved_data["p"] = p;
    return apply_mask(x, {p, row_seeds, position_ids});
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    return {apply_mask(gradients[0], {context->saved_data["p"].toDouble(), saved[0], saved[1]}), {}, {}, {}};
  }

 private:
  static torch::Tensor apply_mask(const torch::Tensor& x, const DropoutMask& mask) {
    RECORD_USER_SCOPE("dropout");
    return use_cpu_kernel({x}) ? cpu::dropout(x.contiguous(), mask) : plain_dropout(x, mask);
  }
};

}  // namespace

DropoutScope::DropoutScope(uint64_t seed, const std::vector<int64_t>& keys) : seed_(seed) {
  TORCH_CHECK(current_scope == nullptr, "a DropoutScope inside of another");
  for (const int64_t key : keys) keys_.push_back(splitmix64(static_cast<uint64_t>(key)));
  current_scope = this;
}

DropoutScope::~DropoutScope() { current_scope = nullptr; }

torch::Tensor DropoutScope::next_seeds() {
  const uint64_t call = splitmix64(seed_ + splitmix64(++num_dropouts_));
  torch::Tensor seeds = torch::empty({static_cast<int64_t>(keys_.size())}, torch::kLong);
  auto* seed = seeds.mutable_data_ptr<int64_t>();
  for (const uint64_t key : keys_) *seed++ = static_cast<int64_t>(splitmix64(call ^ key));
  return seeds;
}

DropoutMask next_dropout_mask(const Packing& packing, double p) {
  if (p == 0) return {};
  const auto& sequence_ids = packing.sequence_ids();
  const auto seeds = to_device(next_seeds(packing.num_sequences()), sequence_ids.device());
  return {p, seeds.index_select(0, sequence_ids), packing.position_ids()};
}

PackedSequence dropout(const PackedSequence& x, double p) {
  if (p == 0) return x;
  TORCH_CHECK(x.data.dim() == 2 && x.data.size(0) == x.packing.num_positions(), x.data.sizes(), " for ",
              x.packing.num_positions(), " positions");
  return x.with_data(dropout(x.data, next_dropout_mask(x.packing, p)));
}

torch::Tensor dropout(const torch::Tensor& x, const DropoutMask& mask) {
  return mask.p == 0 ? x : DropoutFunction::apply(x, mask.p, mask.row_seeds, mask.position_ids);
}

torch::Tensor plain_dropout(const torch::Tensor& x, const DropoutMask& mask) {
  static constexpr int64_t kLow = 0xFFFFFFFF;
  const int64_t width = x.size(1);
  const auto seeds = mask.row_seeds.unsqueeze(1);  // [rows, 1]
  const auto columns = torch::arange(width, seeds.options()).unsqueeze(0);
  const auto elements = mask.position_ids.unsqueeze(1).mul(width).add(columns).bitwise_and(kLow);  // [rows, width]
  auto bits = elements.bitwise_xor(seeds.bitwise_and(kLow));
  const auto hash = [&](int64_t shift, int64_t factor) {
    bits = bits.bitwise_xor(bits.bitwise_right_shift(shift)).mul(factor).bitwise_and(kLow);
  };
  hash(16, kFirstHashFactor);
  bits = bits.add(seeds.bitwise_right_shift(32)).bitwise_and(kLow);
  hash(15, kSecondHashFactor);
  bits = bits.bitwise_xor(bits.bitwise_right_shift(16));
  const auto kept = bits.ge(static_cast<int64_t>(dropout_threshold(mask.p)));
  return x.mul(kept).mul(1.0 / (1.0 - mask.p));
}

torch::Tensor attention_dropout(const torch::Tensor& weights, double p) {
  const int64_t B = weights.size(0), h = weights.size(1), T = weights.size(2);
  const auto sequence_seeds = next_seeds(B);
  torch::Tensor row_seeds = torch::empty({B * h * T}, torch::kLong);
  auto* row_seed = row_seeds.mutable_data_ptr<int64_t>();
  for (int64_t b = 0; b < B; ++b) {
    const auto sequence_seed = static_cast<uint64_t>(sequence_seeds.const_data_ptr<int64_t>()[b]);
    for (int64_t head = 0; head < h; ++head) {
      for (int64_t query = 0; query < T; ++query) {
        *row_seed++ =
            static_cast<int64_t>(splitmix64(sequence_seed ^ splitmix64(static_cast<uint64_t>(head << 32 | query))));
      }
    }
  }
  const auto device = weights.device();
  const DropoutMask mask{p, to_device(row_seeds, device), torch::zeros_like(row_seeds, device)};
  return dropout(weights.flatten(0, 2), mask).view_as(weights);
}

}  // namespace transformer
