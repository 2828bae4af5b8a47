#include "ops/unpadded_attention.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_efficient_attention_forward.h>
#include <ATen/ops/_flash_attention_forward.h>
#include <fmt/core.h>

#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "base/error.h"
#include "base/log.h"
#include "kernels/attention_scale.h"
#include "kernels/gpu_kernels.h"
#include "platform/out_of_memory.h"

namespace transformer {
namespace {

bool has_kernel(const char* name, torch::Device device) {
  const auto schema = c10::Dispatcher::singleton().findSchema({name, ""});
  const auto key = device.is_cuda() ? c10::DispatchKey::CUDA : c10::DispatchKey::CPU;
  return schema && schema->hasKernelForDispatchKey(key);
}

bool is_half(const torch::Tensor& x) { return x.scalar_type() == torch::kBFloat16 || x.scalar_type() == torch::kHalf; }

constexpr int64_t kAllKeys = -1;  // as a window of FlashAttention

/// The types of masks of _efficient_attention_forward.
enum MaskType : int64_t { kNoMask = 0, kCausalFromTopLeft = 1 };

/// What decides which of LibTorch's kernels attends, and whether it works.
struct AttentionKind {
  torch::Device device;
  torch::ScalarType type;
  int64_t d_k, d_v;
  bool has_window;  // masks have a reach

  auto key() const { return std::tuple(device.str(), type, d_k, d_v, has_window); }
};

/// Compares unpadded attention with `reference`, values and gradients, on a small example. Returns what is wrong, or
/// nothing. Rethrows an out-of-memory error, which says nothing about the kernel.
std::string unpadded_attention_fault(const AttentionKind& kind, AttentionFunction& reference) {
  static constexpr int64_t kHeads = 2, kReach = 2;
  // In bf16, rounding changes results and gradients, which are up to 3, by 0.01 for widths of 4 to 256. The smallest of
  // the faults, a window that is one key too large, changes them by 0.13.
  static constexpr double kTolerance = 0.05;
  const c10::InferenceMode off(false);
  const torch::AutoGradMode gradients(true);
  const Packing packing({3, 1, 20}, kind.device);
  // Different numbers, of which scores have about the same size for every width.
  const auto numbers = [&](int64_t width) {
    const auto n = torch::arange(packing.num_positions() * kHeads * width, torch::kDouble);
    const auto x = torch::sin(n * n) * std::pow(8.0 / static_cast<double>(width), 0.25);
    return x.view({-1, kHeads, width}).to(kind.device, kind.type);
  };
  const auto x = numbers(kind.d_k), v = numbers(kind.d_v);
  const auto pass = [&](AttentionFunction& attend, const AttentionMask& mask) {
    const PackedSequence keys{x.detach().requires_grad_(), packing}, values{v.detach().requires_grad_(), packing};
    const torch::Tensor output = attend(keys, keys, values, mask);
    output.sum().backward();
    return torch::cat({output.detach().flatten(), keys.data.grad().flatten(), values.data.grad().flatten()})
        .to(torch::kFloat);
  };
  try {
    for (const bool causal : {false, true}) {
      const AttentionMask mask{.causal = causal, .reach = kind.has_window ? std::optional(kReach) : std::nullopt};
      const double difference = (pass(unpadded_attention, mask) - pass(reference, mask)).abs().max().item<double>();
      if (!(difference < kTolerance)) return fmt::format("its results are off by {:.2g}", difference);
    }
  } catch (const std::exception& failure) {
    if (is_out_of_memory(failure)) throw;
    return first_line(failure.what());
  }
  return {};
}

}  // namespace

bool has_unpadded_attention(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                            const AttentionMask& mask) {
  static constexpr int64_t kMaxFlashWidth = 256, kFlashMultiple = 8, kEfficientMultiple = 4;
  const int64_t d_k = query.size(2), d_v = value.size(2);
  const auto type = query.scalar_type();
  if (key.scalar_type() != type || value.scalar_type() != type) return false;
  if (is_half(query)) {
    return d_k == d_v && d_k <= kMaxFlashWidth && d_k % kFlashMultiple == 0 &&
           has_kernel("aten::_flash_attention_forward", query.device());
  }
  return type == torch::kFloat && !mask.reach && d_k % kEfficientMultiple == 0 && d_v % kEfficientMultiple == 0 &&
         has_kernel("aten::_efficient_attention_forward", query.device());
}

bool use_unpadded_attention(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                            const AttentionMask& mask, AttentionFunction& reference) {
  if (!use_gpu_kernel({query, key, value}) || !has_unpadded_attention(query, key, value, mask)) return false;
  const AttentionKind kind{query.device(), query.scalar_type(), query.size(2), value.size(2), mask.reach.has_value()};
  static std::mutex mutex;
  static std::map<decltype(kind.key()), bool> works;
  const std::lock_guard lock(mutex);
  if (const auto known = works.find(kind.key()); known != works.end()) return known->second;
  const std::string fault = unpadded_attention_fault(kind, reference);
  if (!fault.empty()) {
    log_warning("{}: {} without padding does not work here ({}); sentences are padded, which is slower",
                kind.device.str(), kind.has_window ? "restricted attention" : "attention", fault);
  }
  return works[kind.key()] = fault.empty();
}

torch::Tensor unpadded_attention(const PackedSequence& query, const PackedSequence& key, const PackedSequence& value,
                                 const AttentionMask& mask) {
  const auto &q = query.data, &k = key.data, &v = value.data;
  const auto &query_offsets = query.packing.cu_seqlens(), &key_offsets = key.packing.cu_seqlens();
  const int64_t max_queries = query.packing.max_length(), max_keys = key.packing.max_length();
  const double scale = attention_scale(q.size(2));
  if (is_half(q)) {
    return std::get<0>(at::_flash_attention_forward(q, k, v, query_offsets, key_offsets, max_queries, max_keys,
                                                    /*dropout_p=*/0, mask.causal, /*return_debug_mask=*/false, scale,
                                                    mask.window_left().value_or(kAllKeys),
                                                    mask.window_right().value_or(kAllKeys)));
  }
  const auto heads = at::_efficient_attention_forward(q.unsqueeze(0), k.unsqueeze(0), v.unsqueeze(0), /*bias=*/{},
                                                      query_offsets, key_offsets, max_queries, max_keys,
                                                      /*dropout_p=*/0, mask.causal ? kCausalFromTopLeft : kNoMask,
                                                      /*compute_log_sumexp=*/torch::GradMode::is_enabled(), scale);
  return std::get<0>(heads).squeeze(0);
}

}  // namespace transformer
