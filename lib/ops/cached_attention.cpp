#include "ops/cached_attention.h"

#include "kernels/cpu/cached_attention.h"
#include "kernels/cpu_kernels.h"
#include "kernels/gpu/launch.h"
#include "kernels/gpu_kernels.h"
#include "ops/attention.h"

namespace transformer {

PackedSequence cached_attention(const PackedSequence& query, const torch::Tensor& keys, const torch::Tensor& values,
                                const PackedSequence& slots) {
  const auto& Q = query.data;
  TORCH_CHECK(Q.size(0) == slots.packing.num_sequences() && query.packing.num_sequences() == Q.size(0) &&
                  slots.data.size(0) == slots.packing.num_positions(),
              Q.sizes(), " queries for ", slots.packing.num_sequences(), " lists of ", slots.data.sizes(), " slots");
  const int64_t max_slots = slots.packing.max_length();
  if (use_gpu_kernel({Q, keys, values}) && Q.scalar_type() == keys.scalar_type() &&
      gpu::fits_cached_attention(Q.size(2), values.size(2), max_slots)) {
    return query.with_data(gpu::cached_attention(Q, keys, values, slots.data, slots.packing.cu_seqlens(), max_slots));
  }
  if (use_cpu_kernel({Q, keys, values}, {Q.size(2), values.size(2)})) {
    return query.with_data(cpu::cached_attention(Q, keys, values, slots.data, slots.packing.offsets()));
  }
  const auto gathered = [&](const torch::Tensor& cache) {
    return slots.with_data(cache.index_select(0, slots.data).to(Q.scalar_type()));
  };
  return scaled_dot_product_attention(query, gathered(keys), gathered(values), AttentionMask(), /*dropout=*/0);
}

void copy_rows_to_slots(const torch::Tensor& cache, const torch::Tensor& slots, const torch::Tensor& rows) {
  if (use_cpu_kernel({cache, rows})) {
    cpu::copy_rows_to_slots(cache, slots, rows);
  } else {
    cache.flatten(1).index_copy_(0, slots, rows.flatten(1));
  }
}

}  // namespace transformer
