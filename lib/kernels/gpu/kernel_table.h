#pragma once

#include "kernels/gpu/add_norm_kernel.h"
#include "kernels/gpu/cached_attention_kernel.h"
#include "kernels/gpu/cross_entropy_kernel.h"
#include "kernels/gpu/dropout_kernel.h"
#include "kernels/gpu/embedding_kernel.h"
#include "kernels/gpu/top_tokens_kernel.h"

namespace transformer::gpu {

/// The functions that launch the kernels: on the current stream of the current CUDA device, or on the host.
struct KernelTable {
  void (*add_norm_forward)(const AddNormForward&);
  void (*add_norm_backward)(const AddNormBackward&);
  void (*dropout)(const Dropout&);
  void (*embed_tokens)(const EmbedTokens&);
  void (*cross_entropy)(const CrossEntropy&);
  void (*cached_attention)(const CachedAttention&);
  void (*top_tokens)(const FindTopTokens&);
};

template <class Launcher>
constexpr KernelTable make_kernel_table() {
  return {add_norm_forward<Launcher>, add_norm_backward<Launcher>, dropout<Launcher>,   embed_tokens<Launcher>,
          cross_entropy<Launcher>,    cached_attention<Launcher>,  top_tokens<Launcher>};
}

}  // namespace transformer::gpu
