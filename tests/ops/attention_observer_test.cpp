#include "ops/attention_observer.h"

#include "catch.h"
#include "tensors.h"

namespace transformer {
namespace {

PackedSequence random_heads(int64_t length) { return {torch::randn({length, 2, 8}), Packing({length})}; }

void attend(const AttentionMask& mask) {
  const auto x = random_heads(3);
  scaled_dot_product_attention(x, x, x, mask, /*dropout=*/0);
}

}  // namespace

TEST_CASE("attention observer: the newest one sees each attention of its thread while it exists") {
  std::vector<bool> outer, inner;
  const auto record = [](std::vector<bool>& seen) {
    return [&seen](const PackedSequence& query, const PackedSequence& key, const AttentionMask& mask) {
      CHECK(query.data.sizes() == torch::IntArrayRef({3, 2, 8}));
      CHECK(key.data.sizes() == torch::IntArrayRef({3, 2, 8}));
      seen.push_back(mask.causal);
    };
  };
  attend({.causal = true, .reach = {}});
  {
    const AttentionObserver observer(record(outer));
    attend({.causal = true, .reach = {}});
    {
      const AttentionObserver nested(record(inner));
      attend(AttentionMask());
    }
    const PlainOperations plain;
    attend({.causal = true, .reach = {}});
  }
  attend(AttentionMask());
  CHECK(outer == std::vector<bool>{true, true});
  CHECK(inner == std::vector<bool>{false});
}

}  // namespace transformer
