#pragma once

#include <torch/torch.h>

#include "ops/packing.h"

namespace transformer {

/// Which places of a cache each row of a search attends to: lists one after the other, as long as each is.
struct PlaceLists {
  torch::Tensor places;  // [sum of the lists' lengths]
  Packing lists;
};

/// rows [n, ...] become those of `cache` [places, ...], of the same type, at these different `places` [n].
void put_rows(const torch::Tensor& cache, const torch::Tensor& places, const torch::Tensor& rows);

/// Eq. 1 (§3.2.1) for one query a row, over keys and values that lie anywhere in a cache, in the order of its list.
/// query [rows, h, d_k]; keys [places, h, d_k]; values [places, h, d_v], which may have fewer bits than the query.
/// Returns [rows, h, d_v] in the query's type.
torch::Tensor cached_attention(const torch::Tensor& query, const torch::Tensor& keys, const torch::Tensor& values,
                               const PlaceLists& seen);

}  // namespace transformer
