#pragma once

#include "kernels/gpu/row_mask.h"

namespace transformer::gpu {

/// The input of the first layer (§3.4, §3.5): y = Dropout(scale * embedding of the token + encoding of its position), a
/// token in each block.
struct EmbedTokens {
  int64_t rows;
  int width;
  float scale;
  const float* embedding;       // [vocabulary, width]
  const int64_t* tokens;        // [rows]
  const float* position_table;  // [positions, width]
  const int64_t* position_ids;  // [rows]
  RowMasks masks;
  float* y;  // [rows, width]
};

template <int n>
struct EmbedTokensKernel {
  EmbedTokens a;

  template <class Block>
  TRANSFORMER_GPU void operator()(Block& block) const {
    const int64_t row = block.index();
    const float* embedding = a.embedding + a.tokens[row] * a.width;
    const float* position = a.position_table + a.position_ids[row] * a.width;
    const RowMask mask = a.masks.row(row, a.width);
    block.each(a.width / n, [&](int vector) {
      const int c = vector * n;
      const Floats<n> token = load<n>(embedding + c), encoding = load<n>(position + c);
      auto values = generate<n>([&](int i) { return token[i] * a.scale + encoding[i]; });
      mask.apply(values, c);
      store(a.y + row * a.width + c, values);
    });
  }
};

template <class Launcher>
void embed_tokens(const EmbedTokens& a) {
  with_vector_size(a.width, [&]<int n>(std::integral_constant<int, n>) {
    Launcher::launch(EmbedTokensKernel<n>{a}, {a.rows, threads_for(a.width, n), 0});
  });
}

}  // namespace transformer::gpu
