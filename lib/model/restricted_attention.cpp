#include "model/restricted_attention.h"

#include <algorithm>

#include "model/scaled_dot_product_attention.h"

namespace transformer {
namespace {

/// The sequence cut into chunks of queries; each sees its span of keys: itself and the window on both sides.
struct Chunks {
  int64_t n, size, count, before, after;

  Chunks(int64_t positions, const Window& window)
      : n(positions), before(std::min(window.before, positions)), after(std::min(window.after, positions)) {
    // As long as the window, so that a span is at most three chunks; not so short that the products get tiny.
    static constexpr int64_t kShortest = 64;
    size = std::min(n, std::max({kShortest, before, after}));
    count = (n + size - 1) / size;
  }

  int64_t span() const { return before + size + after; }
  int64_t filling() const { return count * size - n; }

  /// [B, h, n, width] -> [B * chunks, h, size, width]
  torch::Tensor queries(const torch::Tensor& x) const {
    const auto filled = torch::constant_pad_nd(x, {0, 0, 0, filling()});
    const auto parts = filled.view({x.size(0), x.size(1), count, size, x.size(3)});  // [B, h, chunks, size, width]
    return parts.transpose(1, 2).flatten(0, 1);
  }

  /// [B, h, n, width] -> [B * chunks, h, span, width]
  torch::Tensor spans(const torch::Tensor& x) const {
    const auto filled = torch::constant_pad_nd(x, {0, 0, before, filling() + after});
    const auto parts = filled.unfold(2, span(), size);  // [B, h, chunks, width, span]
    return parts.permute({0, 2, 1, 4, 3}).flatten(0, 1);
  }

  /// real [B, n]. Returns where the queries may look in their spans: [B * chunks, 1, size, span].
  torch::Tensor allowed(const torch::Tensor& real) const {
    const auto options = torch::TensorOptions(torch::kLong).device(real.device());
    const auto query = torch::arange(size, options).unsqueeze(1), key = torch::arange(span(), options).unsqueeze(0);
    const auto distance = key - query - before;  // [size, span], of the key from the query
    const auto near = distance.ge(-before).logical_and(distance.le(after));
    const auto real_keys = torch::constant_pad_nd(real, {before, filling() + after}, false)
                               .unfold(1, span(), size)  // [B, chunks, span]
                               .flatten(0, 1)
                               .unsqueeze(1);  // [B * chunks, 1, span]
    return near.logical_and(real_keys).logical_or(distance.eq(0)).unsqueeze(1);
  }

  /// [B * chunks, h, size, width] -> [B, h, n, width]
  torch::Tensor join(const torch::Tensor& x) const {
    const auto parts = x.view({-1, count, x.size(1), size, x.size(3)});  // [B, chunks, h, size, width]
    return parts.transpose(1, 2).flatten(2, 3).slice(2, 0, n);
  }
};

/// mask as for restricted_self_attention. Returns the same as a band: [B or 1, 1, n, n].
torch::Tensor band_mask(int64_t n, const Window& window, const torch::Tensor& mask, torch::Device device) {
  const auto options = torch::TensorOptions(torch::kBool).device(device);
  const auto band = torch::ones({1, 1, n, n}, options).tril(window.after).triu(-window.before);
  return mask.defined() ? band.logical_and(mask).logical_or(torch::eye(n, options)) : band;
}

}  // namespace

torch::Tensor restricted_self_attention(const torch::Tensor& query, const torch::Tensor& key,
                                        const torch::Tensor& value, const Window& window, const torch::Tensor& mask,
                                        double dropout) {
  TORCH_CHECK(query.size(2) == key.size(2), "self-attention of ", query.sizes(), " over ", key.sizes());
  TORCH_CHECK(!mask.defined() || (mask.dim() == 4 && mask.size(1) == 1 && mask.size(2) == 1), "mask ", mask.sizes());
  if (dropout > 0) {
    const auto band = band_mask(query.size(2), window, mask, query.device());
    return scaled_dot_product_attention(query, key, value, band, dropout);
  }
  const Chunks chunks(query.size(2), window);
  const auto real = mask.defined() ? mask.flatten(1) : torch::ones({1, chunks.n}, query.options().dtype(torch::kBool));
  return chunks.join(scaled_dot_product_attention(chunks.queries(query), chunks.spans(key), chunks.spans(value),
                                                  chunks.allowed(real.expand({query.size(0), chunks.n})),
                                                  /*dropout=*/0.0));
}

}  // namespace transformer
